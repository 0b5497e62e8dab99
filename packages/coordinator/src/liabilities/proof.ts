import { addressToBytes, isAddressText, type LiabilityProof, poolHeld, SchedulePhase } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Blinds } from '../domain/liability.ts';
import { scheduleOf } from '../ledger/accounts.ts';
import { type BaseLedger, readAccount } from '../ledger/ledger.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { findRecording, findTreeKey, listTrees, readChunks } from '../store/queries/liabilities.ts';
import type { Db } from '../store/schema.ts';
import { CHUNK_LEAVES, LiabilityBook } from './book.ts';
import { readPool, readPoolAtOnce } from './reader.ts';

export type ProofInput = {
  readonly base: BaseLedger;
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly program: Address;
  /** Tokens whose trees are looked through; all by default. */
  readonly mints?: readonly Address[];
};

/**
 * The leaves and proofs of an owner (32 bytes in base 58): of their balance and its withdrawals under way; or of a schedule's open window;
 * in the trees that the base ledger recorded last. Reads the database and the base ledger alone. Throws `RunError` when the base ledger
 * can't be read, `WrongPayloadKey` or `DecryptionFailed` when the database can't.
 */
export async function liabilityProofs(
  input: ProofInput,
  addresses: readonly string[],
): Promise<Map<string, LiabilityProof[]>> {
  const found = new Map<string, LiabilityProof[]>();
  for (const mint of input.mints ?? ((await listTrees(input.database)) as Address[])) {
    const tree = await recordedTree(input, mint);
    if (tree === undefined) continue;
    const { book, ...recorded } = tree;
    for (const address of new Set(addresses)) {
      if (!isAddressText(address)) continue;
      const window = book.windowLeaf(address);
      const leaves = window === undefined ? book.leavesOf(addressToBytes(address)) : [window];
      const proofs = leaves.map((leaf) => ({ mint, ...recorded, leaf, proof: book.tree.proof(leaf.index) }));
      if (proofs.length > 0) found.set(address, [...(found.get(address) ?? []), ...proofs]);
    }
  }
  return found;
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
export async function liabilitiesSum(input: ProofInput, mint: Address): Promise<LiabilitiesSum | undefined> {
  const { base, program } = input;
  for (let reading = 1; reading <= READINGS; reading++) {
    const tree = await recordedTree(input, mint);
    if (tree === undefined) continue;
    const { book, sequence, root, leaves } = tree;
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

async function recordedTree({ base, database, payloadKeys, program }: ProofInput, mint: Address) {
  const { sequence, liabilitiesRoot, liabilityLeaves: leaves } = await readPool(base, mint, program);
  const root = Uint8Array.from(liabilitiesRoot as Uint8Array);
  const found = await findRecording(database, mint, sequence, Buffer.from(root).toString('hex'));
  const tree = await findTreeKey(database, mint, payloadKeys);
  if (found === undefined || tree === undefined) return undefined;
  const book = new LiabilityBook(new Blinds(tree.seed, mint));
  const at = { mint, number: BigInt(found.number), chunks: Math.ceil(leaves / CHUNK_LEAVES), key: tree.key };
  for await (const chunk of readChunks(database, at)) book.load(chunk);
  return { book, sequence, root, leaves };
}
