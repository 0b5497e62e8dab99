import type { Address } from '@solana/kit';
import type { LiabilityBook } from '../../src/liabilities/book.ts';
import { sealChangedChunks } from '../../src/liabilities/treeStore.ts';
import { saveRecording } from '../../src/store/queries/liabilities.ts';
import type { Db } from '../../src/store/schema.ts';
import { randomAddress } from './promised.ts';

/** Stores a recording of a book, with the parts that have changed, sealed by the tree's key; returns its transaction's id. */
export async function saveBook(
  database: Db,
  { mint, key, book }: { readonly mint: Address; readonly key: Uint8Array; readonly book: LiabilityBook },
  { number, sequence }: { readonly number: bigint; readonly sequence: bigint },
): Promise<number> {
  const chunks = await sealChangedChunks(book, { mint, number, key });
  return saveRecording(database, {
    chunks,
    recording: {
      mint,
      number: number.toString(),
      sequence: sequence.toString(),
      root: Buffer.from(book.tree.root).toString('hex'),
      total: book.balancesTotal.toString(),
      covered_to: '1',
      leaves: book.tree.leafCount,
      created_at: '5',
    },
    transaction: {
      ledger: 'base',
      purpose: 'record',
      signature: randomAddress(),
      wire: 'AA==',
      last_valid_block_height: '9',
      created_at: '5',
    },
    runs: [],
  });
}
