import { addressToBytes, isAddressText, type LiabilityProof, poolHeld, SchedulePhase } from '@payouts/client';
import type { Address } from '@solana/kit';
import { ENTRY_BYTES, kindAt, readEntry } from '../domain/liability.ts';
import { scheduleOf } from '../ledger/accounts.ts';
import { readAccount } from '../ledger/ledger.ts';
import { listTrees, readChunks } from '../store/queries/liabilities.ts';
import type { Db } from '../store/schema.ts';
import { CHUNK_LEAVES, LiabilityBook } from './book.ts';
import { readPool, readPoolAtOnce } from './reader.ts';
import {
  findRecorded,
  type RecordedTree,
  RecordedTrees,
  type RecordedTreesInput,
  type WantedLeaves,
} from './recordedTrees.ts';

/**
 * The leaves and proofs of an owner (32 bytes in base 58): of their balance and its withdrawals under way; or of a schedule's open window;
 * in the trees that the base ledger recorded last. Looks through every leaf, for whoever does not know where a balance is. Reads the database
 * and the base ledger alone. Throws `RunError` when the base ledger can't be read, `WrongPayloadKey` or `DecryptionFailed` when the database
 * can't.
 */
export async function liabilityProofs(
  input: RecordedTreesInput,
  addresses: readonly string[],
  mints?: readonly Address[],
): Promise<Map<string, LiabilityProof[]>> {
  const trees = new RecordedTrees(input);
  const asked = addresses.filter(isAddressText);
  const found = new Map<string, LiabilityProof[]>();
  for (const mint of mints ?? ((await listTrees(input.database)) as Address[])) {
    const recorded = await findRecorded(input, mint);
    if (recorded === undefined) continue;
    const wanted = await placesOf(input.database, recorded, asked);
    for (const [address, proofs] of await trees.proofsIn(recorded, wanted)) {
      found.set(address, [...(found.get(address) ?? []), ...proofs]);
    }
  }
  return found;
}

/** Where the balances of these owners are in a tree. */
async function placesOf(
  database: Db,
  { stored, leaves }: RecordedTree,
  asked: readonly Address[],
): Promise<WantedLeaves> {
  const owners = new Map(asked.map((address) => [Buffer.from(addressToBytes(address)).toString('hex'), address]));
  const wanted = new Map<Address, number | undefined>(asked.map((address) => [address, undefined]));
  let place = 0;
  for await (const entries of readChunks(database, { ...stored, chunks: Math.ceil(leaves / CHUNK_LEAVES) })) {
    for (let at = 0; at < entries.length; at += ENTRY_BYTES, place++) {
      if (kindAt(entries, at) !== 'balance') continue;
      const address = owners.get(Buffer.from(readEntry(entries, at).who).toString('hex'));
      if (address !== undefined) wanted.set(address, place);
    }
  }
  return wanted;
}

/** What a token's recorded liabilities tree adds up to, in base units, beside what the pool holds. Nothing of it is private. */
export type LiabilitiesSum = {
  readonly sequence: bigint;
  readonly leaves: number;
  readonly balances: bigint;
  readonly withdrawalsUnderWay: bigint;
  readonly openWindows: bigint;
  readonly held: bigint;
};

/** Readings before the ledger counts as too busy. */
const READINGS = 20;

/**
 * Adds up the leaves of the tree whose root the base ledger recorded last. Undefined if this database does not have that tree, or the ledger never
 * stood still. Throws as `liabilityProof`.
 */
export async function liabilitiesSum(input: RecordedTreesInput, mint: Address): Promise<LiabilitiesSum | undefined> {
  const { base, program } = input;
  for (let reading = 1; reading <= READINGS; reading++) {
    const recorded = await findRecorded(input, mint);
    if (recorded === undefined) continue;
    const { sequence, root, leaves } = recorded;
    const book = await bookOf(input.database, recorded);
    if (Buffer.compare(book.tree.root, root) !== 0) return undefined;
    const { pool, isPaid } = await readPoolAtOnce(base, mint, program, book.pending);
    if (pool.sequence !== sequence) continue;
    let openWindows = 0n;
    for (const address of book.windows.keys()) {
      const leaf = book.windowLeaf(address);
      const schedule = scheduleOf(await readAccount(base, address), program);
      // One that was settled since has given back what it did not pay.
      const isOpen =
        leaf?.kind === 'window' && schedule?.window === leaf.window && schedule.phase === SchedulePhase.Open;
      if (isOpen) openWindows += schedule.windowAmount - leaf.paid;
    }
    let withdrawalsUnderWay = 0n;
    for (const { number, amount } of book.pending) if (!isPaid(number)) withdrawalsUnderWay += amount;
    const held = poolHeld(pool);
    const sum = { sequence, leaves, balances: book.balancesTotal, withdrawalsUnderWay, openWindows, held };
    // A window that was opened since is in the pool, and in no tree yet; one that was closed may have been counted as open.
    const after = await readPool(base, mint, program);
    const isSame = after.openings === pool.openings && after.closings === pool.closings;
    if (isSame && after.sequence === sequence) return sum;
  }
  return undefined;
}

async function bookOf(database: Db, { stored, leaves, blinds }: RecordedTree): Promise<LiabilityBook> {
  const book = new LiabilityBook(blinds);
  const chunks = Math.ceil(leaves / CHUNK_LEAVES);
  for await (const chunk of readChunks(database, { ...stored, chunks })) book.load(chunk);
  return book;
}
