import type { Kysely } from 'kysely';
import type { WrappedKey } from '../crypto/payloadKeys.ts';
import type { Tables } from '../schema.ts';

/** How many data keys a payload key has wrapped. */
export type PayloadKeyUse = {
  readonly keyId: string;
  readonly lists: number;
  readonly liabilityTrees: number;
  readonly serviceKeys: number;
};

/** Which payload keys are in use, by their names. */
export async function countKeyUse(database: Kysely<Tables>): Promise<PayloadKeyUse[]> {
  const count = (table: 'recipient_lists' | 'liability_trees' | 'service_keys') =>
    database
      .selectFrom(table)
      .select((select) => ['key_id', select.fn.countAll<string>().as('count')])
      .groupBy('key_id')
      .execute();
  const [lists, trees] = [await count('recipient_lists'), await count('liability_trees')];
  const services = await count('service_keys');
  const numberOf = (rows: typeof lists, keyId: string) => Number(rows.find((row) => row.key_id === keyId)?.count ?? 0);
  const ids = [...new Set([...lists, ...trees, ...services].map(({ key_id }) => key_id))].sort();
  return ids.map((keyId) => ({
    keyId,
    lists: numberOf(lists, keyId),
    liabilityTrees: numberOf(trees, keyId),
    serviceKeys: numberOf(services, keyId),
  }));
}

const LIST = ['id', 'schedule', 'root', 'recipients', 'wrapped_key', 'key_id'] as const;

/** Lists whose keys another payload key has wrapped, from behind `after` on. */
export function findListsToRotate(database: Kysely<Tables>, currentId: string, after: number, limit: number) {
  return database
    .selectFrom('recipient_lists')
    .select(LIST)
    .where('key_id', '!=', currentId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Owed trees whose keys another payload key has wrapped. */
export function findTreesToRotate(database: Kysely<Tables>, currentId: string) {
  return database.selectFrom('liability_trees').selectAll().where('key_id', '!=', currentId).orderBy('mint').execute();
}

/** Reasons of abandoned runs that another payload key has encrypted, with the name of their run. */
export function findReasonsToRotate(database: Kysely<Tables>, currentId: string) {
  return database
    .selectFrom('abandoned_runs')
    .innerJoin('execution_runs', 'execution_runs.id', 'abandoned_runs.run_id')
    .select(['run_id', 'reason', 'key_id', 'schedule', 'window_number'])
    .where('key_id', '!=', currentId)
    .orderBy('run_id')
    .execute();
}

/** Keeps a reason as it is encrypted now, unless somebody else has done it. */
export async function saveReason(
  database: Kysely<Tables>,
  runId: number,
  from: string,
  { keyId, wrapped }: WrappedKey,
): Promise<void> {
  await database
    .updateTable('abandoned_runs')
    .set({ key_id: keyId, reason: wrapped })
    .where('run_id', '=', runId)
    .where('key_id', '=', from)
    .execute();
}

const columnsOf = ({ keyId, wrapped }: WrappedKey) => ({ key_id: keyId, wrapped_key: wrapped });

/** Keeps a list's key as it is wrapped now; false if the list is gone, or somebody else has done it. */
export async function saveListKey(
  database: Kysely<Tables>,
  id: number,
  from: string,
  key: WrappedKey,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('recipient_lists')
    .set(columnsOf(key))
    .where('id', '=', id)
    .where('key_id', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Keeps a liabilities tree's key as it is wrapped now; false if somebody else has done it. */
export async function saveTreeKey(
  database: Kysely<Tables>,
  mint: string,
  from: string,
  key: WrappedKey,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('liability_trees')
    .set(columnsOf(key))
    .where('mint', '=', mint)
    .where('key_id', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
