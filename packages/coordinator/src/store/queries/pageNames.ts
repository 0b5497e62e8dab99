import type { PageName } from '@payouts/client';
import { decrypt, encrypt } from '../crypto/cipher.ts';
import { pagePlace } from '../crypto/liabilityChunks.ts';
import type { PayloadKeys } from '../crypto/payloadKeys.ts';
import type { Db } from '../schema.ts';
import { treeKey } from './liabilities.ts';

/** The pages of a token, with the nonces that make their addresses; `at`: unix milliseconds. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readPages(
  database: Db,
  payloadKeys: PayloadKeys,
  mint: string,
  at: number,
): Promise<readonly PageName[]> {
  const { key } = await treeKey(database, mint, payloadKeys, at);
  const rows = await database.selectFrom('balance_pages').selectAll().where('mint', '=', mint).execute();
  return rows.map(({ number, content }) => ({ number, nonce: decrypt(key, content, pagePlace(mint, number)) }));
}

/** Keeps pages of a token; of a number that is there the new nonce counts. `key`: of the token's tree. */
export async function savePages(
  transaction: Db,
  { mint, key }: { readonly mint: string; readonly key: Uint8Array },
  pages: readonly PageName[],
): Promise<void> {
  if (pages.length === 0) return;
  const rows = pages.map(({ number, nonce }) => {
    return { mint, number, content: encrypt(key, nonce, pagePlace(mint, number)) };
  });
  const conflict = ['mint', 'number'] as const;
  await transaction
    .insertInto('balance_pages')
    .values(rows)
    .onConflict((at) => at.columns(conflict).doUpdateSet((set) => ({ content: set.ref('excluded.content') })))
    .execute();
}

/** Takes a whole page's number for leaves of the liabilities tree that are no balances. */
export async function takePageNumber(database: Db, mint: string): Promise<number> {
  const { next_page: next } = await database
    .updateTable('liability_trees')
    .set((set) => ({ next_page: set('next_page', '+', 1) }))
    .where('mint', '=', mint)
    .returning('next_page')
    .executeTakeFirstOrThrow();
  return next - 1;
}
