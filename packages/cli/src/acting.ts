import {
  actFor,
  fetchConfig,
  findConfigAddress,
  findPersonalAddresses,
  getPersonalDecoder,
  type Ledgers,
  openPersonalInstruction,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Personal,
  type PrivateBalance,
  sendToLayer,
  showBalance,
  TransactionFailed,
} from '@payouts/client';
import {
  type Address,
  getBase64Encoder,
  type Instruction,
  type MessagePartialSigner,
  type TransactionSigner,
} from '@solana/kit';
import { locateBalance, type OwnedBalance } from './balances.ts';

/** The account that holds what a recipient has asked of a balance: where it is or could be made, and what it says; undefined: nothing yet. */
async function findPersonal({ layer }: Pick<Ledgers, 'layer'>, balance: OwnedBalance) {
  const addresses = await findPersonalAddresses(balance);
  const { value } = await layer.getMultipleAccounts(addresses, { encoding: 'base64' }).send();
  const isOurs = (account: (typeof value)[number] | undefined) => account?.owner === PAYOUT_LEDGER_PROGRAM_ADDRESS;
  const made = value.findIndex(isOurs);
  // Somebody has sent lamports to the others.
  const variant = made >= 0 ? made : Math.max(0, value.indexOf(null));
  const data = value[variant]?.data[0];
  return {
    variant,
    address: addresses[variant] as Address,
    personal: made < 0 ? undefined : getPersonalDecoder().decode(getBase64Encoder().encode(data ?? '')),
  };
}

/** What a recipient has asked of a balance; undefined: nothing yet. */
export const personalOf = async (
  ledgers: Pick<Ledgers, 'layer'>,
  balance: OwnedBalance,
): Promise<Personal | undefined> => (await findPersonal(ledgers, balance)).personal;

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
  const { address: personal, variant, ...found } = await findPersonal(ledgers, balance);
  if (found.personal !== undefined) return { personal, at };
  const { executionAuthority } = (await fetchConfig(ledgers.base, await findConfigAddress())).data;
  const isPrivate = balance.told?.isPrivate ?? false;
  const { instructions, feePayer } = await actFor(recipient, { personal, time: ledgers.time }, async (signer) => [
    await openPersonalInstruction({ signer, balance: at, executionAuthority, isPrivate, variant }),
  ]);
  await sendToLayer(ledgers, instructions, feePayer);
  return { personal, at };
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
