import {
  actFor,
  BalanceReader,
  fetchConfig,
  findConfigAddress,
  type Ledgers,
  makePersonal,
  openPersonalInstruction,
  type PersonalName,
  type PersonalShown,
  type PrivateBalance,
  sendToLayer,
  TransactionFailed,
} from '@payouts/client';
import type { Address, Instruction, MessagePartialSigner, TransactionSigner } from '@solana/kit';
import { locateBalance, type OwnedBalance } from './balances.ts';

/** Whose balance is meant, and their key. */
export type Own = { readonly recipient: MessagePartialSigner; readonly balance: OwnedBalance };
type LayerOf = Pick<Ledgers, 'layer' | 'time'>;

/** A balance where it is, and what reads it by its recipient's signature. */
export type Located = { readonly at: PrivateBalance; readonly reader: BalanceReader };

/** Finds a recipient's balance. Throws TransactionFailed when there is none. */
export async function located(ledgers: LayerOf, { recipient, balance }: Own): Promise<Located> {
  const { told } = balance;
  const at = told === undefined ? await locateBalance(ledgers, balance) : { ...balance, ...told };
  if (at === undefined) throw new TransactionFailed('NotOwner', 'Nothing was ever paid into this balance.', []);
  return { at, reader: new BalanceReader(ledgers, recipient, at) };
}

/** What a recipient has asked of a balance, and where it stands; undefined: nothing that is left. Throws TransactionFailed. */
export async function personalOf(ledgers: LayerOf, own: Own): Promise<PersonalShown | undefined> {
  return (await located(ledgers, own)).reader.personal();
}

/** The account that holds what a recipient asks of their balance, made where there is none, and where the balance is. */
async function openedFor(
  ledgers: Ledgers,
  own: Own,
): Promise<{ readonly personal: Address; readonly at: PrivateBalance }> {
  const { recipient, balance } = own;
  const { at, reader } = await located(ledgers, own);
  const shown = await reader.balance();
  if (shown.personal !== null) return { personal: shown.personal, at };
  const { executionAuthority } = (await fetchConfig(ledgers.base, await findConfigAddress())).data;
  const isPrivate = balance.told?.isPrivate ?? false;
  const make = async (personal: PersonalName) => {
    const acting = { personal: personal.address, time: ledgers.time };
    const { instructions, feePayer } = await actFor(recipient, acting, async (signer) => [
      await openPersonalInstruction({ signer, balance: at, personal, executionAuthority, isPrivate }),
    ]);
    await sendToLayer(ledgers, instructions, feePayer);
  };
  return { personal: await makePersonal({ ...shown, mint: balance.mint }, make), at };
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
      if (tries === 2 || (await personalOf(ledgers, own)) !== undefined) throw error;
    }
  }
}
