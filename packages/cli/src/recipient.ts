import {
  fetchBalance,
  fetchMaybeBalance,
  findPageAddress,
  findTokenAddress,
  getConfirmWithdrawalInstructionAsync,
  type Ledgers,
  requestWithdrawalInstructions,
  sendToLayer,
  TransactionFailed,
} from '@payouts/client';
import { type Address, getBase64Encoder, type TransactionSigner } from '@solana/kit';
import { getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

const POLL_MS = 25;
const DEADLINE_MS = 60_000;

/** Base units in a private balance; undefined while the recipient has none. */
export async function privateBalance(ledgers: Ledgers, balance: Address): Promise<bigint | undefined> {
  const found = await fetchMaybeBalance(ledgers.layer, balance);
  return found.exists ? found.data.amount : undefined;
}

/** Base units that a wallet's associated token account holds on the base ledger; zero when there is none. */
export async function walletTokens(ledgers: Ledgers, wallet: Address, mint: Address): Promise<bigint> {
  const at = await findTokenAddress(wallet, mint, TOKEN_PROGRAM_ADDRESS);
  const { value } = await ledgers.base.getAccountInfo(at, { encoding: 'base64', commitment: 'finalized' }).send();
  return value === null ? 0n : getTokenDecoder().decode(getBase64Encoder().encode(value.data[0])).amount;
}

/**
 * Takes money out of a private balance to a wallet, waits until the base ledger shows it there, and has the layer confirm it.
 *
 * @param amount base units, or everything
 * @returns base units that arrived
 * @throws TransactionFailed when the layer refuses or the money doesn't arrive within 60 s
 */
export async function withdraw(
  ledgers: Ledgers,
  input: {
    readonly recipient: TransactionSigner;
    readonly balance: Address;
    readonly mint: Address;
    readonly wallet: Address;
    readonly amount: bigint | 'all';
  },
): Promise<bigint> {
  const before = await walletTokens(ledgers, input.wallet, input.mint);
  await sendToLayer(ledgers, await requestWithdrawalInstructions(input), input.recipient);
  const { data } = await fetchBalance(ledgers.layer, input.balance);
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const arrived = (await walletTokens(ledgers, input.wallet, input.mint)) - before;
    if (arrived > 0n) {
      await confirm(ledgers, input, data.pendingNumber, deadline);
      return arrived;
    }
    if (Date.now() > deadline) {
      throw new TransactionFailed(
        'not-arrived',
        'The withdrawal has not arrived yet; confirming it later issues it again.',
        [],
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Confirms a withdrawal as soon as the layer sees the base's page. */
async function confirm(
  ledgers: Ledgers,
  input: { readonly recipient: TransactionSigner; readonly balance: Address; readonly mint: Address },
  number: bigint,
  deadline: number,
): Promise<void> {
  const instruction = await getConfirmWithdrawalInstructionAsync({
    payer: input.recipient,
    balance: input.balance,
    mint: input.mint,
    page: await findPageAddress(input.mint, number),
  });
  for (;;) {
    try {
      await sendToLayer(ledgers, [instruction], input.recipient);
      return;
    } catch (error) {
      const known = error instanceof TransactionFailed ? error.code : '';
      if (known === 'NoWithdrawalPending') return;
      // The layer follows the base a moment later.
      if (known !== 'WithdrawalUnderWay' || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
