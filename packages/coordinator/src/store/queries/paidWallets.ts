import { createHash } from 'node:crypto';
import { addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import { sql } from 'kysely';
import { countRows } from '../countRows.ts';
import type { Db } from '../schema.ts';

/** A wallet, and the token that it was paid. */
export type WalletOfToken = { readonly mint: Address; readonly wallet: Address };

/** A payout that has arrived, as anybody sees it on the base ledger; `at` in unix milliseconds. */
export type PaidWallet = WalletOfToken & { readonly number: bigint; readonly at: number };

/** Everybody can compute it who knows the wallet; a dump by itself names none. */
const hashOf = ({ mint, wallet }: WalletOfToken): Buffer =>
  createHash('sha256').update(addressToBytes(mint)).update(addressToBytes(wallet)).digest();

/** Keeps payouts that have arrived, each once. */
export async function addPaidWallets(database: Db, paid: readonly PaidWallet[]): Promise<void> {
  if (paid.length === 0) return;
  await database
    .insertInto('paid_wallets')
    .values(
      paid.map((each) => ({
        mint: each.mint,
        number: String(each.number),
        wallet_hash: hashOf(each),
        paid_at: String(each.at),
      })),
    )
    .onConflict((conflict) => conflict.columns(['mint', 'number']).doNothing())
    .execute();
}

/** A transfer that the relay is about to pay for. */
export type RelayedTransferRow = { readonly signature: string; readonly last_valid_block_height: string };

/**
 * Takes note of a transfer before it is sent, unless a wallet has had as many as its payouts give: `each` for each of them. Those of one
 * wallet wait for each other. `known`: it was noted before.
 */
export async function noteRelayed(
  database: Db,
  of: WalletOfToken,
  row: RelayedTransferRow,
  each: number,
): Promise<'noted' | 'known' | 'too-many'> {
  const hash = hashOf(of);
  return database.transaction().execute(async (transaction) => {
    const payouts = await sql`select number from paid_wallets where wallet_hash = ${hash} for update`.execute(
      transaction,
    );
    const { rows } = await sql<{ used: string; is_known: boolean }>`
      select count(*) as used, coalesce(bool_or(signature = ${row.signature}), false) as is_known
      from relayed_transfers where wallet_hash = ${hash}`.execute(transaction);
    const [found] = rows;
    if (found?.is_known) return 'known';
    if (Number(found?.used ?? 0) >= payouts.rows.length * each) return 'too-many';
    await transaction
      .insertInto('relayed_transfers')
      .values({ ...row, wallet_hash: hash })
      .execute();
    return 'noted';
  });
}

/** Transfers of a wallet that are not known to have landed. */
export const unlandedOf = (database: Db, of: WalletOfToken): Promise<RelayedTransferRow[]> =>
  database
    .selectFrom('relayed_transfers')
    .select(['signature', 'last_valid_block_height'])
    .where('wallet_hash', '=', hashOf(of))
    .where('has_landed', '=', false)
    .execute();

/** A transfer is on the ledger: it has cost its fee. */
export async function relayedLanded(database: Db, signature: string): Promise<void> {
  await database
    .updateTable('relayed_transfers')
    .set({ has_landed: true })
    .where('signature', '=', signature)
    .execute();
}

/** A transfer never reaches the ledger: it has cost nothing, and counts for nothing. */
export async function forgetRelayed(database: Db, signature: string): Promise<void> {
  await database
    .deleteFrom('relayed_transfers')
    .where('signature', '=', signature)
    .where('has_landed', '=', false)
    .execute();
}

const before = (at: number) => sql<boolean>`paid_at < ${String(at)}`;

/** How many payouts are kept that arrived before a moment, unix milliseconds. */
export const countPaidWalletsBefore = (database: Db, at: number): Promise<number> =>
  countRows(database, 'paid_wallets', before(at));

/** Forgets payouts that arrived before a moment, and what was relayed for wallets of which none is left. */
export async function removePaidWalletsBefore(database: Db, at: number): Promise<void> {
  await database.deleteFrom('paid_wallets').where(before(at)).execute();
  await sql`delete from relayed_transfers as relayed where not exists (
    select from paid_wallets as paid where paid.wallet_hash = relayed.wallet_hash)`.execute(database);
}
