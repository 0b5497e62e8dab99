import { addressToBytes, findTokenAddress, type Payee, TOKEN_PROGRAM_ADDRESS } from '@payouts/client';
import { baseLedgerAdmin } from '@payouts/localnet';
import { type Address, generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import type { Employer, World } from './world.ts';

/** SPL Token's layout: mint 32 ‖ owner 32 ‖ amount u64 ‖ delegate 36 ‖ state u8 (1 initialized, 2 frozen) ‖ … */
const TOKEN_ACCOUNT_BYTES = 165;
const STATE_AT = 108;

/** So many payees with keys of their own, by address; each gets a base unit more than the one before. */
export async function payeesWithKeys(
  count: number,
  least: bigint,
): Promise<{ readonly payees: readonly Payee[]; readonly signers: ReadonlyMap<string, KeyPairSigner> }> {
  const keys = await Promise.all(Array.from({ length: count }, () => generateKeyPairSigner()));
  return {
    payees: keys.map(({ address }, line) => ({ recipient: address, amount: least + BigInt(line) })),
    signers: new Map(keys.map((key) => [key.address, key])),
  };
}

/** The same of whom nobody has the keys. */
export const variedPayees = async (count: number, least: bigint) => (await payeesWithKeys(count, least)).payees;

/** So many payees whom nobody knows, each of whom gets the same. */
export async function somePayees(count: number, amount: bigint): Promise<Payee[]> {
  return (await variedPayees(count, amount)).map((payee) => ({ ...payee, amount }));
}

/** An address at which nobody has seen anything. */
export const freshWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address;

/** Somebody of a list: their key, their private balance, and what each window pays them. */
export function personOf({ list, balances, mint }: Employer, recipient: KeyPairSigner) {
  const place = list.recipients.findIndex((entry) => entry.recipient === recipient.address);
  const [entry, balance] = [list.recipients[place], balances[place]];
  if (entry === undefined || balance === undefined) throw new Error('They do not stand in the list.');
  return { recipient, balance, mint, amount: entry.amount };
}

/** Puts a token account at a wallet's associated address that takes no tokens for it: frozen, or somebody else's. */
export async function makeHostile(
  world: World,
  mint: Address,
  wallet: Address,
  how: { readonly frozen?: boolean; readonly owner?: Address },
): Promise<void> {
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES);
  data.set(addressToBytes(mint));
  data.set(addressToBytes(how.owner ?? wallet), 32);
  data[STATE_AT] = how.frozen === true ? 2 : 1;
  await baseLedgerAdmin(world.urls.baseRpcUrl).setAccount({
    address: await findTokenAddress(wallet, mint),
    lamports: lamports(2_039_280n),
    owner: TOKEN_PROGRAM_ADDRESS,
    data,
  });
}
