import { addressFromBytes } from '@payouts/client';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';

const HEAD = 35;
const MEMBER = 33;

/** Lamports of a permission with so many members beside the account itself. */
export const permissionRent = (members: number) => 32n * (BigInt(HEAD + (1 + members) * MEMBER) + 60n);

/** Who may read an account by its permission, with their flags; undefined: it has none. */
export function readersOf(world: World, account: Address): [Address, number][] | undefined {
  const state = world.layer.account(permissionOf(account));
  if (state === undefined || state.data.length === 0) return undefined;
  if (state.data[34] !== 1) throw new Error('the permission is not private');
  const members: [Address, number][] = [];
  for (let at = HEAD; at < state.data.length; at += MEMBER) {
    members.push([addressFromBytes(state.data.subarray(at + 1, at + MEMBER)), state.data[at] as number]);
  }
  return members;
}
