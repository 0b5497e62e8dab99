import { randomBytes } from 'node:crypto';
import { prepareList } from '@payouts/client';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow, registerList } from '../src/store/queries/lists.ts';
import { findPayments, savePayments } from '../src/store/queries/payments.ts';
import { observedSchedule } from './support/addSchedule.ts';
import { recordsOf } from './support/listRecords.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { addRun } from './support/runs.ts';
import { useStore } from './support/stores.ts';

const store = useStore('PostgreSQL');
const later = randomBytes(40);

it('payments that are kept while a rotation has their list hold nothing that the rotation waits for', async () => {
  const { query } = store;
  const [schedule, list] = [randomAddress(), prepareList(somePayees(3))];
  const root = Buffer.from(list.root).toString('hex');
  const seen = { ...observedSchedule(schedule, { root, recipients: 3 }), employer: null };
  const payloadKeys = localPayloadKeys(randomBytes(32));
  await registerList(
    query,
    { schedule: seen, root: list.root, records: recordsOf(list), payloadKeys, at: 1 },
    async () => {},
  );
  const { id: listId } = (await findList(query, schedule, root)) as ListRow;
  const { id: runId } = await addRun(query, { schedule, window: 0n }, { recipients: 3, at: 1 });
  await savePayments(query, runId, { listId, paid: randomBytes(40) });

  let saving = Promise.resolve();
  await query.transaction().execute(async (rotation) => {
    await sql`select from recipient_lists where id = ${listId} for update`.execute(rotation);
    saving = savePayments(query, runId, { listId, paid: later });
    const waits = sql<{ count: number }>`select count(*)::int as count from pg_locks where not granted`;
    await expect.poll(async () => (await waits.execute(query)).rows[0]?.count, { timeout: 60_000 }).toBe(1);
    const payments = sql`select run_id from run_payments where run_id = ${runId} for update nowait`;
    expect((await payments.execute(rotation)).rows).toHaveLength(1);
  });
  await saving;
  expect((await findPayments(query, runId))?.paid).toEqual(later);
});
