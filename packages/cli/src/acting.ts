import {
  actFor,
  addressFromBytes,
  fetchConfig,
  findConfigAddress,
  getPersonalDecoder,
  type Ledgers,
  newPersonal,
  openPersonalInstruction,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERSONAL_KIND,
  type Personal,
  type PrivateBalance,
  sendToLayer,
  showBalance,
  TransactionFailed,
} from '@payouts/client';
import type { Address, Instruction, MessagePartialSigner, TransactionSigner } from '@solana/kit';
import { locateBalance, type OwnedBalance } from './balances.ts';
import { accountsOf } from './ledgerAccounts.ts';

const PERSONAL_OWNER_AT = 40n;

/** What a recipient has asked of a balance, and where it stands; undefined: nothing yet. */
export async function personalOf(
  ledgers: Pick<Ledgers, 'layer'>,
  balance: OwnedBalance,
): Promise<(Personal & { readonly address: Address }) | undefined> {
  const at = { address: addressFromBytes(ownerRecord(balance).owner), at: PERSONAL_OWNER_AT };
  const accounts = await accountsOf(ledgers.layer, PAYOUT_LEDGER_PROGRAM_ADDRESS, PERSONAL_KIND, at);
  const found = accounts
    .map(({ address, bytes }) => ({ address, ...getPersonalDecoder().decode(bytes) }))
    .find(({ mint }) => mint === balance.mint);
  return found;
}

/** Whose balance is meant, and their key. */
export type Own = { readonly recipient: MessagePartialSigner; readonly balance: OwnedBalance };

/** Where a recipient's balance is, and what it holds, base units. Throws TransactionFailed when there is none. */
export async function located(
  ledgers: Ledgers,
  { recipient, balance }: Own,
): Promise<PrivateBalance & { readonly amount: bigint }> {
  const { told } = balance;
  if (told !== undefined) {
    const at = { ...balance, page: told.page, slot: told.slot };
    return { ...at, amount: await showBalance(ledgers, recipient, at) };
  }
  const at = await locateBalance(ledgers, balance);
  if (at === undefined) throw new TransactionFailed('NotOwner', 'Nothing was ever paid into this balance.', []);
  return at;
}

/** The account that holds what a recipient asks of their balance, made where there is none, and where the balance is. */
async function openedFor(
  ledgers: Ledgers,
  own: Own,
): Promise<{ readonly personal: Address; readonly at: PrivateBalance }> {
  const { recipient, balance } = own;
  const at = await located(ledgers, own);
  const found = await personalOf(ledgers, balance);
  if (found !== undefined) return { personal: found.address, at };
  const made = newPersonal(balance.mint);
  const { executionAuthority } = (await fetchConfig(ledgers.base, await findConfigAddress())).data;
  const isPrivate = balance.told?.isPrivate ?? false;
  const acting = { personal: made.address, time: ledgers.time };
  const { instructions, feePayer } = await actFor(recipient, acting, async (signer) => [
    await openPersonalInstruction({ signer, balance: at, personal: made, executionAuthority, isPrivate }),
  ]);
  await sendToLayer(ledgers, instructions, feePayer);
  return { personal: made.address, at };
}

/** Has the layer execute a recipient's instructions, in whose transaction they are not named. */
export async function sendFor(
  ledgers: Ledgers,
  own: Own,
  build: (acting: {
    readonly signer: TransactionSigner;
    readonly personal: Address;
    readonly page: Address;
  }) => readonly Instruction[] | Promise<readonly Instruction[]>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { personal, at } = await openedFor(ledgers, own);
    const acting = { personal, time: ledgers.time };
    const { instructions, feePayer } = await actFor(own.recipient, acting, (signer) =>
      build({ signer, personal, page: at.page }),
    );
    try {
      await sendToLayer(ledgers, instructions, feePayer);
      return;
    } catch (error) {
      // The coordinator closes an account of which nothing is left: it may have done so just now.
      if (tries === 2 || (await personalOf(ledgers, own.balance)) !== undefined) throw error;
    }
  }
}
