import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { connectBase, connectLayer } from '../src/ledger/rpc.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { Healer } from '../src/reconciliation/heal.ts';
import { serveReconciliation } from '../src/reconciliation/service.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { beginLease } from '../src/store/queries/leases.ts';
import { findKnown, findKnownAfter } from '../src/store/queries/reconcile.ts';
import {
  claimRound,
  endRound,
  lastRound,
  releaseRound,
  requestRound,
  saveRound,
} from '../src/store/queries/reconciliation.ts';
import { addSchedule } from './support/addSchedule.ts';
import { countOf } from './support/counted.ts';
import { useLedger } from './support/ledgerStub.ts';
import { keptLog } from './support/log.ts';
import { registerMany } from './support/manySchedules.ts';
import { promise, randomAddress, scheduleOver, somePayees } from './support/promised.ts';
import { readWhole } from './support/readWhole.ts';
import { MadeHistory } from './support/settledWindows.ts';
import { useStore } from './support/stores.ts';

const PROGRAM = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const HOLD_MS = 60_000;
const HOUR_MS = 3_600_000;

const base = useLedger();
const layer = useLedger();

describe('a round', () => {
  const store = useStore();
  const reset = () =>
    store.database.pool.query(
      "update reconciliation set place = null, found = '{}', taken_by = null, taken_until = '-infinity', next_at = '-infinity', remaining = '{}', ended_at = null",
    );
  beforeEach(reset);
  const begin = (executor: string) => beginLease(store.query, { executor, instance: executor, leaseMs: HOLD_MS });

  it('is one process at a time, and goes on where a process that went away had come to', async () => {
    const { query: database } = store;
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((executor) => begin(executor)));
    const taken = await Promise.all(['a', 'b', 'c'].map((holder) => claimRound(database, holder, HOLD_MS)));
    const winner = ['a', 'b', 'c'][taken.findIndex((round) => round !== undefined)] as string;
    expect(taken.filter((round) => round !== undefined)).toEqual([{ place: '', found: {} }]);
    const there = { place: 'vaults x', found: { 'list-missing': 2 } };
    expect(await saveRound(database, winner, there, HOLD_MS)).toBe(true);
    expect(await claimRound(database, 'd', HOLD_MS)).toBeUndefined();
    expect(await saveRound(database, 'd', { place: 'other', found: {} }, HOLD_MS)).toBe(false);

    // It said nothing for too long.
    await store.database.pool.query("update reconciliation set taken_until = now() - interval '1 second'");
    expect(await claimRound(database, 'd', HOLD_MS)).toEqual(there);
    expect(await saveRound(database, winner, { place: 'other', found: {} }, HOLD_MS)).toBe(false);
    expect(await endRound(database, winner, {}, HOUR_MS)).toBe(false);
    await releaseRound(database, winner);
    expect(await claimRound(database, 'e', HOLD_MS)).toBeUndefined();
    await releaseRound(database, 'd');
    expect(await claimRound(database, 'e', HOLD_MS)).toEqual(there);

    expect((await lastRound(database)).endedAt).toBeUndefined();
    expect(await endRound(database, 'e', { 'list-missing': 3 }, HOUR_MS)).toBe(true);
    const { remaining, endedAt } = await lastRound(database);
    expect(remaining).toEqual({ 'list-missing': 3 });
    expect(Math.abs((endedAt ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
    // The next one is due in its time, or when a process starts.
    expect(await claimRound(database, 'a', HOLD_MS)).toBeUndefined();
    await requestRound(database);
    expect(await claimRound(database, 'a', HOLD_MS)).toEqual({ place: '', found: {} });
  });

  it('is free at once when its process has no lease any more', async () => {
    const { query: database } = store;
    await begin('killed');
    expect(await claimRound(database, 'killed', HOLD_MS)).toEqual({ place: '', found: {} });
    expect(await claimRound(database, 'next', HOLD_MS)).toBeUndefined();
    await database.deleteFrom('instance_leases').where('executor', '=', 'killed').execute();
    expect(await claimRound(database, 'next', HOLD_MS)).toEqual({ place: '', found: {} });
  });

  it('compares everything, says what remains, and goes on by itself when the ledger was gone', async () => {
    const { query: database } = store;
    const { schedulePda, list, vault, mint } = promise(base, randomAddress(), somePayees(3));
    // One schedule of which the ledger knows another root than any that is registered, and more than one look can take.
    base.putSchedule(schedulePda, scheduleOver(list, { vault, mint }));
    await addSchedule(database, { address: schedulePda });
    for (let number = 1; number < 120; number++) await addSchedule(database, {});
    const time = manualTime(Date.now());
    const { log, lines } = keptLog(time);
    const metrics = createMetrics();
    const ends = new AbortController();
    const shared = { database, program: PROGRAM, time, log, metrics };
    const { signal } = ends;
    const healing = { payloadKeys: localPayloadKeys(randomBytes(32)), history: new MadeHistory(PROGRAM) };
    base.isBroken = true;
    const serving = serveReconciliation({
      ...shared,
      base: connectBase({ url: base.url, time, signal }),
      layer: connectLayer({ url: layer.url, time, signal }),
      healer: new Healer({ ...shared, ...healing }),
      executor: 'one',
      intervalMs: 200,
      signal,
    });
    const said = (message: string) => lines().filter(({ msg }) => msg === message);
    const until = async (message: string) => {
      for (let tries = 0; said(message).length === 0; tries++) {
        if (tries > 20_000) throw new Error(`nobody said: ${message}`);
        // In small steps: a round that the database keeps for seconds is not to be given up.
        await time.advance(20);
        await sleep(5);
      }
    };
    await until('loop failed; retrying');
    base.isBroken = false;
    await until('everything compared');
    await until('loop works again');
    expect(said('loop works again')).toEqual([
      expect.objectContaining({ loop: 'reconciliation', failures: expect.any(Number) }),
    ]);
    expect(said('differences remain')[0]).toMatchObject({ kind: 'list-missing', count: 1 });
    expect(said('loop failed; retrying')).toHaveLength(1);
    ends.abort();
    await serving;
    expect((await lastRound(database)).remaining).toEqual({ 'list-missing': 1 });
    expect(await claimRound(database, 'two', HOLD_MS).then((round) => round?.place ?? '')).toBeTypeOf('string');
    expect(await countOf(metrics, 'service_reconciliation_healed_total', { kind: 'list-missing' })).toBe(0);
  });
});

describe('among 20,000 schedules', () => {
  const store = useStore();

  it('what a step asks for is found by indexes', async () => {
    const { query: database, pool } = store.database;
    await registerMany(database, { count: 20_000, due: 0, now: 1_800_000_000 });
    await sql`insert into execution_runs (schedule, window_number, state, claims_total, unpaid_reasons, created_at, finished_at)
      select address, number, 'settled', 1, '{}', 1, 2 from schedules, generate_series(0, 2) as number`.execute(
      database,
    );
    await sql`analyze`.execute(database);
    const addresses = await findKnownAfter(database, 'address', '', 99);
    const ask = async (watched: typeof database) => {
      for (const column of ['address', 'vault', 'mint'] as const) await findKnownAfter(watched, column, 'A', 99);
      await findKnown(watched, addresses);
    };
    // The other tables have nothing in them.
    const whole = await readWhole(pool, ask);
    for (const table of ['schedules', 'execution_runs']) expect(whole).not.toContain(table);
    expect((await findKnown(database, addresses)).map(({ runs }) => runs.length)).toEqual(Array(99).fill(3));
  });
});
