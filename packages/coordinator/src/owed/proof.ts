import { isAddressText, type OwedProof } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Kysely } from 'kysely';
import type { BaseLedger } from '../ledger/ledger.ts';
import type { PayloadKeys } from '../store/payloadKeys.ts';
import { findRecording, findTreeKey, listTrees, readChunks } from '../store/queries/owed.ts';
import type { Tables } from '../store/schema.ts';
import { CHUNK_LEAVES, OwedBook } from './book.ts';
import { readPool } from './reader.ts';
import { Blinds } from './record.ts';

export type ProofInput = {
  readonly base: BaseLedger;
  readonly database: Kysely<Tables>;
  readonly payloadKeys: PayloadKeys;
  readonly program: Address;
  /** Tokens whose trees are looked through; all by default. */
  readonly mints?: readonly Address[];
};

/**
 * The leaf and proof of a private balance, or of a schedule's open window, in the tree that the base ledger recorded last. Reads
 * the database and the base ledger alone. Undefined if no token's recorded tree has the address. Throws `RunError` when the base
 * ledger can't be read, `WrongPayloadKey` or `DecryptionFailed` when the database can't.
 */
export async function owedProof(input: ProofInput, address: string): Promise<OwedProof | undefined> {
  return (await owedProofs(input, [address])).get(address);
}

/** The same for several addresses; each tree is read once. */
export async function owedProofs(input: ProofInput, addresses: readonly string[]): Promise<Map<string, OwedProof>> {
  const found = new Map<string, OwedProof>();
  for (const mint of input.mints ?? ((await listTrees(input.database)) as Address[])) {
    const tree = await recordedTree(input, mint);
    if (tree === undefined) continue;
    const { book, ...recorded } = tree;
    for (const address of addresses) {
      const leaf = isAddressText(address) ? book.leafOf(address) : undefined;
      if (leaf !== undefined) found.set(address, { mint, ...recorded, leaf, proof: book.tree.proof(leaf.index) });
    }
  }
  return found;
}

async function recordedTree({ base, database, payloadKeys, program }: ProofInput, mint: Address) {
  const { sequence, owedRoot, owedLeaves: leaves } = await readPool(base, mint, program);
  const root = Uint8Array.from(owedRoot as Uint8Array);
  const found = await findRecording(database, mint, sequence, Buffer.from(root).toString('hex'));
  const key = await findTreeKey(database, mint, payloadKeys);
  if (found === undefined || key === undefined) return undefined;
  const book = new OwedBook(new Blinds(key, mint));
  const at = { mint, number: BigInt(found.number), chunks: Math.ceil(leaves / CHUNK_LEAVES), key };
  for await (const chunk of readChunks(database, at)) book.load(chunk);
  return { book, sequence, root, leaves };
}
