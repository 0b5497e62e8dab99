import { fileURLToPath } from 'node:url';
import { SQUADS_PROGRAM } from '@payouts/employer';
import {
  type Address,
  getAddressEncoder,
  getProgramDerivedAddress,
  getStructEncoder,
  getU8Encoder,
  getU16Encoder,
  getU32Encoder,
  getU64Encoder,
  mergeBytes,
} from '@solana/kit';
import type { World } from './world.ts';

/** The double of Squads' program, at its address: the real one may not be shipped here. */
export const TREASURY_PROGRAM = {
  address: SQUADS_PROGRAM,
  path: fileURLToPath(new URL('../../../test/program/treasury-program.so', import.meta.url)),
};

const KIND = Uint8Array.of(224, 116, 121, 186, 68, 161, 79, 236);
/** What a member may do who may do everything: propose, vote, execute. */
const ALL = 7;

const head = getStructEncoder([
  ['createKey', getAddressEncoder()],
  ['configAuthority', getAddressEncoder()],
  ['threshold', getU16Encoder()],
  ['timeLock', getU32Encoder()],
  ['transactionIndex', getU64Encoder()],
  ['staleTransactionIndex', getU64Encoder()],
  ['rentCollector', getU8Encoder()],
  ['bump', getU8Encoder()],
  ['count', getU32Encoder()],
]);

export type Members = {
  readonly threshold: number;
  readonly members: readonly (Address | readonly [key: Address, permissions: number])[];
  readonly timeLock?: number;
  /** How many transactions were created, none of which can be voted on any more. */
  readonly stale?: bigint;
};

/** Puts a multisig in place on a world's ledger, as its members had it made or changed in Squads' app; its address. */
export async function placeMultisig(world: World, createKey: Address, rules: Members): Promise<Address> {
  const { threshold, members, timeLock = 0, stale = 0n } = rules;
  const seeds = ['multisig', 'multisig', getAddressEncoder().encode(createKey)];
  const [address, bump] = await getProgramDerivedAddress({ programAddress: SQUADS_PROGRAM, seeds });
  const begins = head.encode({
    createKey,
    configAuthority: '11111111111111111111111111111111' as Address,
    threshold,
    timeLock,
    transactionIndex: stale,
    staleTransactionIndex: stale,
    rentCollector: 0,
    bump,
    count: members.length,
  });
  const each = members.map((member) => {
    const [key, permissions] = typeof member === 'string' ? ([member, ALL] as const) : member;
    return mergeBytes([getAddressEncoder().encode(key) as Uint8Array, Uint8Array.of(permissions)]);
  });
  const data = mergeBytes([KIND, begins as Uint8Array, ...each]);
  await world.localnet.admin.setAccount({
    address,
    lamports: 10_000_000n,
    owner: SQUADS_PROGRAM,
    data,
    executable: false,
  });
  return address;
}
