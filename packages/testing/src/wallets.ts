import { randomBytes } from 'node:crypto';
import { addressToBytes, findTokenAddress, type Payee, type Recipient, TOKEN_PROGRAM_ADDRESS } from '@payouts/client';
import { baseLedgerAdmin } from '@payouts/localnet';
import { type Address, generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import type { Employer, World } from './world.ts';

/** SPL Token's layout: mint 32 ‖ owner 32 ‖ amount u64 ‖ delegate 36 ‖ state u8 (1 initialized, 2 frozen) ‖ … */
const TOKEN_ACCOUNT_BYTES = 165;
const STATE_AT = 108;

/** Keys of payees that were made up here. */
const keyring = new Map<Address, KeyPairSigner>();

/** So many payees whom nobody knows; each gets a base unit more than the one before. `keyOf` has their keys. */
export async function variedPayees(count: number, least: bigint): Promise<Payee[]> {
  const keys = await Promise.all(Array.from({ length: count }, () => generateKeyPairSigner()));
  for (const key of keys) keyring.set(key.address, key);
  return keys.map(({ address }, line) => ({ recipient: address, amount: least + BigInt(line) }));
}

/** The same, each of whom gets as much. */
export async function somePayees(count: number, amount: bigint): Promise<Payee[]> {
  return (await variedPayees(count, amount)).map((payee) => ({ ...payee, amount }));
}

/** So many payees; their amounts are random bytes, of which none turn up anywhere by chance: nor do times have as many digits. */
export async function paidOddly(count: number): Promise<Payee[]> {
  const oddAmount = () => BigInt(`0x${randomBytes(5).toString('hex')}`) + 2n ** 47n;
  return (await variedPayees(count, 0n)).map((payee) => ({ ...payee, amount: oddAmount() }));
}

/** The key of a payee that was made up here. */
export function keyOf({ recipient }: Pick<Payee, 'recipient'>): KeyPairSigner {
  const key = keyring.get(recipient as Address);
  if (key === undefined) throw new Error(`Nobody has the key of ${recipient}.`);
  return key;
}

/** An address at which nobody has seen anything. */
export const freshWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address;

/** Somebody of a list: their key, their private balance, and what each window pays them. */
export function personOf({ list, balances, mint }: Employer, recipient: KeyPairSigner) {
  const place = list.recipients.findIndex((entry) => entry.recipient === recipient.address);
  const [entry, owner] = [list.recipients[place], balances[place]];
  if (entry === undefined || owner === undefined) throw new Error('They do not stand in the list.');
  return { recipient, balance: { ...entry, mint }, owner, mint, amount: entry.amount };
}

/** The same by their index in the list, if they were made up here. */
export const personAt = (employer: Employer, index: number) =>
  personOf(employer, keyOf(employer.list.recipients[index] as Recipient));

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
