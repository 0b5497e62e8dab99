import {
  fetchBalance,
  fetchMaybeBalance,
  findTokenAddress,
  getRedirectWithdrawalInstruction,
  getSetStandingOrderInstruction,
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
 * Takes money out of a private balance to a wallet, and waits until the base ledger shows it there and the layer has cleared the
 * withdrawal. The coordinator does what lies between.
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
  await withdrawalCleared(ledgers, input.balance);
  // The layer goes by what is confirmed; what has arrived is said when it is final.
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const arrived = (await walletTokens(ledgers, input.wallet, input.mint)) - before;
    if (arrived > 0n) return arrived;
    if (Date.now() > deadline) throw notArrived();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const notArrived = () =>
  new TransactionFailed('not-arrived', 'The withdrawal has not arrived yet; it is issued again later.', []);

/**
 * Waits until no withdrawal of a balance is under way: the base ledger has paid it, and the layer knows.
 *
 * @throws TransactionFailed when that takes longer than 60 s
 */
export async function withdrawalCleared(ledgers: Ledgers, balance: Address): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while ((await fetchBalance(ledgers.layer, balance)).data.pendingNumber !== 0n) {
    if (Date.now() > deadline) throw notArrived();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Has everything be paid to a wallet whenever a balance reaches `threshold` base units; a threshold of 0 ends the order. */
export async function setStandingOrder(
  ledgers: Ledgers,
  input: {
    readonly recipient: TransactionSigner;
    readonly balance: Address;
    readonly threshold: bigint;
    readonly wallet: Address;
  },
): Promise<void> {
  await sendToLayer(ledgers, [getSetStandingOrderInstruction(input)], input.recipient);
}

/** Sends the withdrawal under way to another wallet; it keeps its number, so it is paid once. */
export async function redirectWithdrawal(
  ledgers: Ledgers,
  input: { readonly recipient: TransactionSigner; readonly balance: Address; readonly wallet: Address },
): Promise<void> {
  await sendToLayer(ledgers, [getRedirectWithdrawalInstruction(input)], input.recipient);
}
