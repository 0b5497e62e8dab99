import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LEAF_TERMS_BYTES, PAGE_SLOTS, prepareList } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ALL_WINDOWS } from '../src/domain/grant.ts';
import { ListRecords } from '../src/domain/listRecords.ts';
import { OwnerIndex } from '../src/domain/ownerIndex.ts';
import { runIdOf } from '../src/domain/run.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { MIGRATIONS } from '../src/store/db/migrate.ts';
import type { Database } from '../src/store/db/openDatabase.ts';
import * as addressChanges from '../src/store/queries/addressChanges.ts';
import * as attempts from '../src/store/queries/attempts.ts';
import * as conditions from '../src/store/queries/conditions.ts';
import * as dataKeys from '../src/store/queries/dataKeys.ts';
import * as deletion from '../src/store/queries/deletion.ts';
import * as funds from '../src/store/queries/funds.ts';
import * as gauges from '../src/store/queries/gauges.ts';
import * as grants from '../src/store/queries/grants.ts';
import * as idempotency from '../src/store/queries/idempotency.ts';
import * as invitations from '../src/store/queries/invitations.ts';
import * as jobs from '../src/store/queries/jobs.ts';
import * as leases from '../src/store/queries/leases.ts';
import * as liabilities from '../src/store/queries/liabilities.ts';
import * as lists from '../src/store/queries/lists.ts';
import * as nonces from '../src/store/queries/nonces.ts';
import * as notices from '../src/store/queries/notices.ts';
import * as operatorRuns from '../src/store/queries/operatorRuns.ts';
import * as overview from '../src/store/queries/overview.ts';
import * as owners from '../src/store/queries/owners.ts';
import * as pageNames from '../src/store/queries/pageNames.ts';
import * as paidWallets from '../src/store/queries/paidWallets.ts';
import * as payments from '../src/store/queries/payments.ts';
import * as recipientTags from '../src/store/queries/recipientTags.ts';
import * as reconcile from '../src/store/queries/reconcile.ts';
import * as reconciliation from '../src/store/queries/reconciliation.ts';
import * as registeredSchedule from '../src/store/queries/registeredSchedule.ts';
import * as retention from '../src/store/queries/retention.ts';
import * as rounds from '../src/store/queries/rounds.ts';
import * as runEvents from '../src/store/queries/runEvents.ts';
import * as runPages from '../src/store/queries/runPages.ts';
import * as runs from '../src/store/queries/runs.ts';
import * as scheduleLists from '../src/store/queries/scheduleLists.ts';
import * as schedules from '../src/store/queries/schedules.ts';
import * as series from '../src/store/queries/series.ts';
import * as serviceKeys from '../src/store/queries/serviceKeys.ts';
import * as settledWindows from '../src/store/queries/settledWindows.ts';
import * as settlements from '../src/store/queries/settlements.ts';
import * as slots from '../src/store/queries/slots.ts';
import * as stalls from '../src/store/queries/stalls.ts';
import * as transactions from '../src/store/queries/transactions.ts';
import * as webhookMessages from '../src/store/queries/webhookMessages.ts';
import * as webhooks from '../src/store/queries/webhooks.ts';
import * as withdrawals from '../src/store/queries/withdrawals.ts';
import type { Tables } from '../src/store/schema.ts';
import { observedSchedule } from './support/addSchedule.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { newTransaction, stopRun } from './support/runs.ts';
import { STORES, type TestStore, useStore } from './support/stores.ts';

type Store = Kysely<Tables>;
type Query<Args extends unknown[], Answer> = (store: Store, ...args: Args) => Answer;
/** What each of the stores has answered, where the answers need not be the same. */
type Each<T> = readonly [T, T];

/** Functions of the store's that a comparison has called. */
const called = new Set<unknown>();
const QUERIES = fileURLToPath(new URL('../src/store/queries/', import.meta.url));
/** These ask no database. */
const PURE: readonly unknown[] = [
  jobs.enqueued,
  runs.claimColumns,
  runs.endColumns,
  runs.unpaidColumns,
  operatorRuns.keyOf,
];

const isText = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** What a value is, without what it says: for keys, encrypted bytes, drawn names and the database's clock. */
function kindOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return `${value.constructor.name} of ${value.length}`;
  if (value instanceof Date) return 'Date';
  if (isText(value, UUID)) return 'UUID';
  if (isText(value, /^\d+$/)) return 'integer as text';
  if (Array.isArray(value)) return value.map(kindOf);
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, kindOf(each)]));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, kindOf(each)]));
  }
  return typeof value === 'number' || typeof value === 'bigint' ? typeof value : value;
}

async function whole(answer: unknown): Promise<unknown> {
  if (answer === null || typeof answer !== 'object' || !(Symbol.asyncIterator in answer)) return answer;
  const all: unknown[] = [];
  for await (const each of answer as AsyncIterable<unknown>) all.push(each);
  return all;
}

type Whole<T> = T extends AsyncIterable<infer Part> ? Part[] : Awaited<T>;

describe('the store answers the same on PostgreSQL and PGlite:', () => {
  const [server, embedded] = STORES.map((name) => useStore(name)) as [TestStore, TestStore];
  const stores = (): Each<Store> => [server.query, embedded.query];

  /** Calls a query on one store after the other, with the arguments of each. */
  async function each<Args extends unknown[], Answer>(
    query: Query<Args, Answer>,
    argsOf: (place: 0 | 1) => [...Args],
  ): Promise<Each<Whole<Answer>>> {
    called.add(query);
    const [one, other] = stores();
    return [
      (await whole(await query(one, ...argsOf(0)))) as Whole<Answer>,
      (await whole(await query(other, ...argsOf(1)))) as Whole<Answer>,
    ];
  }

  /** The same where the answers must be one; returns it. */
  async function same<Args extends unknown[], Answer>(
    query: Query<Args, Answer>,
    argsOf: (place: 0 | 1) => [...Args],
  ): Promise<Whole<Answer>> {
    const [one, other] = await each(query, argsOf);
    expect(other).toStrictEqual(one);
    return one;
  }

  /** Calls a query with the same arguments on both stores; their answer, which is the same. */
  const both = <Args extends unknown[], Answer>(query: Query<Args, Answer>, ...args: Args) => same(query, () => args);

  /** The same where answers are of one kind only; see `kindOf`. */
  async function alike<Args extends unknown[], Answer>(
    query: Query<Args, Answer>,
    argsOf: (place: 0 | 1) => [...Args],
  ): Promise<Each<Whole<Answer>>> {
    const answers = await each(query, argsOf);
    expect(kindOf(answers[1])).toStrictEqual(kindOf(answers[0]));
    return answers;
  }

  const keys = localPayloadKeys(Buffer.alloc(32, 1));
  const wrapped = { keyId: 'new', wrapped: Buffer.alloc(60, 9) };
  const renewed = { ...wrapped, formerMark: Buffer.alloc(8, 1), own: {} };
  const people = prepareList(somePayees(3));
  const root = Buffer.from(people.root).toString('hex');
  const records = new ListRecords(3, [Buffer.concat(people.recipients.map(() => Buffer.alloc(57, 7)))]);
  const [employer, auditor, mint, vault] = [randomAddress(), randomAddress(), randomAddress(), randomAddress()];
  const [first, second, stranger] = [randomAddress(), randomAddress(), randomAddress()].toSorted() as [
    Address,
    Address,
    Address,
  ];
  const seen = (address: string, slot = '5') =>
    observedSchedule(address, {
      vault,
      mint,
      root,
      next_execution: '1800000000',
      // More than the database's integers can have.
      amount: String(2n ** 64n - 1n),
      proposal: { kind: 'change', root, isNewList: true, recipients: 3, executions: 2 } as never,
      seen_slot: slot,
      seen_at: 1_000,
    });
  const done = { outcome: 'succeeded', code: null, detail: null } as const;
  const nothing = { landed: [] };
  let list: Each<lists.ListRow>;
  const runOf = async (window: bigint) => (await both(runs.findRun, { schedule: first, window })) as runs.RunRow;

  it('lists and schedules', async () => {
    const registration = (address: string) => ({
      schedule: { ...seen(address), employer: address === first ? employer : null },
      root: people.root,
      records,
      payloadKeys: keys,
      at: 7,
    });
    for (const address of [first, second]) {
      const kept = await alike(lists.registerList, () => [registration(address), async (_, isNew) => isNew]);
      expect(kept[0]).toMatchObject({ kept: true, list: { recipients: 3 } });
    }
    expect(await both(lists.registerList, registration(first), async () => 'there')).toEqual({
      list: undefined,
      kept: 'there',
    });
    const failed = { name: 'Error', message: 'rolled back' };
    for (const store of stores()) {
      const refused = lists.registerList(store, registration(stranger), () => Promise.reject(new Error('rolled back')));
      await expect(refused).rejects.toMatchObject(failed);
    }
    expect(await both(schedules.findSchedule, stranger)).toBeUndefined();
    list = (await alike(lists.findList, () => [first, root])) as Each<lists.ListRow>;
    expect(await both(lists.findList, first, '00')).toBeUndefined();
    expect((await alike(lists.findLargeLists, () => [[first, stranger], 3]))[0]).toMatchObject([{ schedule: first }]);
    expect(await both(lists.findLargeLists, [first], 4)).toEqual([]);
    const ofEach = (place: 0 | 1) => [list[place], keys] as [lists.ListRow, typeof keys];
    for (const read of [lists.openBlocks, lists.readRecords, lists.readRecipients] as const)
      await same(read as typeof lists.readRecipients, ofEach);
    await same(lists.readPage, (place) => [...ofEach(place), 1, 1]);
    await same(lists.readPlaces, (place) => [...ofEach(place), [0, 2]]);
    expect(await same(lists.findEntries, (place) => [...ofEach(place), Buffer.alloc(32, 7)])).toHaveLength(3);
    expect((await alike(scheduleLists.listLists, () => [first]))[0]).toHaveLength(1);
    expect(await both(schedules.findSchedule, first)).toMatchObject({
      window_number: '0',
      amount: '18446744073709551615',
      proposal: { isNewList: true },
      covered_windows: null,
      run_window: null,
      seen_at: '1000',
    });
    expect(await both(schedules.countSchedules)).toBe(2);
    await both(schedules.saveObservedSchedules, [
      { ...seen(first, '6'), window_number: '1', seen_at: 40_000 },
      { ...seen(second, '4'), window_number: '9' },
    ]);
    expect(await both(schedules.findDueSchedules, 1_800_000_000n, 10)).toHaveLength(2);
    expect(await both(schedules.findStaleSchedules, 40_000, 10)).toEqual([second]);
    await both(schedules.saveEmployer, second, employer);
    expect(await both(schedules.findEmployer, vault)).toBe(employer);
    expect(await both(overview.countRegistered)).toEqual({ byStatus: { active: 2 }, listMissing: 0 });
    expect(await both(registeredSchedule.findRegisteredSchedule, first)).toMatchObject({ has_list: true });
    expect(await both(registeredSchedule.listSchedulesOf, employer, '', 10)).toHaveLength(2);
    expect(await both(liabilities.listMints)).toEqual([mint]);
    expect(await both(liabilities.knownMints, [mint, stranger])).toEqual(new Set([mint]));
  });

  it('funds', async () => {
    const reading = { address: vault, mint, decimals: 6, symbol: 'USDC', reserved: '1', available: '2' };
    await both(funds.saveObservedVaults, [{ ...reading, seen_slot: 3n, seen_at: 5 }]);
    await both(funds.saveObservedVaults, [{ ...reading, reserved: '9', seen_slot: 2n, seen_at: 6 }]);
    expect(await both(funds.findVault, vault)).toMatchObject({ reserved: '1', seen_slot: '3', seen_at: '5' });
    await both(funds.findVaults, [vault, stranger]);
    await both(funds.findSymbols, [mint, stranger]);
    await both(funds.findTokens, [mint]);
    expect(await both(funds.listTokens)).toMatchObject([{ mint }]);
    await both(funds.listDrawing, [vault], 10);
    expect(await both(funds.findVaultsToRead, { changed: [vault], before: 9, limit: 5 })).toEqual([vault]);
    await both(funds.saveCoverage, [
      [first, { windows: 2, short: { amount: 2n ** 64n - 1n, at: 1_900_000_000n } }],
      [second, { windows: 0, short: null }],
    ]);
    expect(await both(schedules.findSchedule, first)).toMatchObject({ covered_windows: 2, short_at: '1900000000' });
    await both(funds.countFunds, 3);
    expect(await both(overview.findWorstFunded, 10)).toMatchObject([{ address: first }, { address: second }]);
    expect(await both(overview.findNextDue, 10)).toMatchObject([{ funds: { decimals: 6 } }, {}]);
    await both(overview.countOverdue, 1_800_000_000n);
    await both(gauges.countSchedulesByStatus);
    await both(gauges.countWork, 1_800_000_000n);
    await both(runPages.findTokensOf, [first, stranger]);
  });

  it('runs, their tries and their transactions', async () => {
    const windows = [0n, 1n, 2n, 3n].map((window) => ({ schedule: first, window, recipients: 3 }));
    expect(await both(runs.createRuns, windows, 11)).toHaveLength(4);
    expect(await both(runs.createRuns, windows, 12)).toEqual([]);
    expect(await runOf(1n)).toMatchObject({
      window_number: '1',
      unpaid_reasons: {},
      started_at: null,
      is_rebuilt: false,
    });
    expect(await both(runs.findRun, { schedule: first, window: 9n })).toBeUndefined();
    const key = { schedule: first, window: 0n };
    const begun = (await both(attempts.beginAttempt, key, 'delegate', 13)) as { attemptId: number; run: runs.RunRow };
    const { id } = begun.run;
    const kept = await both(transactions.keepTransaction, newTransaction(id, begun.attemptId));
    expect(kept).toMatchObject({ isNew: true, last_valid_block_height: '150' });
    await both(transactions.settleTransaction, kept.id, 'failed');
    await both(attempts.endAttempt, begun.attemptId, { ...done, outcome: 'retried', code: 'x' }, nothing, 15);
    expect(await both(attempts.listRetries, id, 'delegate')).toEqual([{ code: 'x', count: 1, firstAt: 15 }]);
    const again = (await both(attempts.beginAttempt, key, 'delegate', 16)) as { attemptId: number };
    const found = { landed: [kept.id], window: { recipients: 3, deadline: 70n }, claims: { paid: 1 } };
    const next = await both(attempts.endAttempt, again.attemptId, done, found, 17, 'claim');
    expect(next).toMatchObject({ wasOver: false, begun: { run: { batch_deadline: '70' } } });
    const claiming = next.begun?.attemptId as number;
    await both(settlements.requestSettlement, {
      runId: id,
      attemptId: claiming,
      mint,
      schedule: first,
      window: 0n,
    });
    const [asked] = await both(settlements.findSettlements, [mint], [], 10);
    expect(asked).toMatchObject({ runId: id, window: 0n });
    expect(await both(settlements.findSettlements, [mint], [id], 10)).toEqual([]);
    expect(await both(settlements.findAnswers, [id])).toEqual(new Map([[id, null]]));
    await both(settlements.refuseSettlement, asked as never, { code: 'no', message: 'not now' } as never);
    expect((await both(settlements.findAnswers, [id])).get(id)).toMatchObject({ code: 'no' });
    await both(settlements.deleteSettlements, [id]);
    expect(await both(settlements.findAnswers, [id])).toEqual(new Map());
    expect(await both(attempts.saveClaims, claiming, { paid: 2, reasons: { held: 1 } })).toBe(1);
    await both(stalls.saveStalls, [id], { code: 'layer-unavailable', message: 'silent' } as never);
    await both(stalls.clearStalls, [id], 'layer-unavailable');
    const leaves = { state: 'running', resumeAt: null } as const;
    const failed = { outcome: 'retried', code: 'code', detail: 'detail', leaves } as const;
    await both(attempts.endAttempt, claiming, failed, nothing, 18);
    expect(await runOf(0n)).toMatchObject({ state: 'running', stage: 'claim', error_code: 'code' });
    expect(await both(liabilities.findOpenSchedules, mint)).toEqual([first]);

    await both(payments.savePayments, id, { listId: list[0].id, paid: Buffer.from([1, 2, 3]) });
    expect(await both(payments.findPayments, id, { isConfirmed: true })).toBeUndefined();
    await both(payments.confirmPayments, id, true);
    expect((await alike(payments.findPayments, () => [id]))[1]?.paid).toEqual(Buffer.from([1, 2, 3]));
    const settled = { state: 'settled', paidAmount: 2n ** 64n - 1n, settledAt: 7_000 } as const;
    expect(await both(runs.finishRun, id, { ...settled, at: 20_000 })).toBe(2);
    expect(await both(runs.finishRun, id, { state: 'cancelled', paidAmount: null, at: 21_000 })).toBeUndefined();
    expect(await runOf(0n)).toMatchObject({
      paid_amount: '18446744073709551615',
      finished_at: '20000',
      settled_at: '7000',
    });
    expect((await alike(payments.listSettledRuns, () => [[list[0].id], undefined, 5]))[1]).toMatchObject([
      { paid: Buffer.from([1, 2, 3]), is_confirmed: true, signature: null },
    ]);
    await alike(payments.listSettledRuns, () => [[list[0].id], 0n, 5]);
    await alike(payments.listLatestSettledRuns, () => [[list[0].id], { at: 30_000, id: 9 }, 5]);
    await both(attempts.listAttempts, [id]);
    expect((await alike(settledWindows.findWindow, () => [first, 0n]))[0]).toBeDefined();
    const page = { before: undefined, limit: 5 };
    await alike(settledWindows.listSettledWindows, () => [first, [ALL_WINDOWS], page]);
    const lists = stores().map((store) =>
      Promise.all(
        [
          [],
          [{ from: 1n, to: 1n }],
          [
            { from: null, to: 0n },
            { from: 2n, to: null },
          ],
        ].map(async (ranges) =>
          (await settledWindows.listSettledWindows(store, first, ranges, page)).map((row) => row.window_number),
        ),
      ),
    );
    for (const [none, one, others] of await Promise.all(lists)) {
      expect(none).toEqual([]);
      expect(one?.every((number) => number === '1')).toBe(true);
      expect(others).not.toContain('1');
    }
    await both(series.readFinished, { from: 0, to: 60_000, stepMs: 10_000 });
    await both(series.readFailed, { from: 0, to: 60_000, stepMs: 10_000 });
    await both(runPages.listRunPage, { state: 'settled', limit: 5 });
    await both(runPages.listRunPage, { schedule: first, before: 2n, limit: 5 });
    await both(runs.listRuns, first, 2n, 5);

    const stopped = await runOf(1n);
    await both(stopRun, stopped.id, { state: 'held', code: 'funding-short', detail: 'd', resumeAt: 30 });
    expect(await both(runs.resumeRuns, 29, 5)).toEqual([]);
    expect(await both(operatorRuns.listRunsFor, { state: 'held' }, 5)).toHaveLength(1);
    expect(await both(operatorRuns.requestResume, [stopped.id], 31)).toEqual([stopped.id]);
    expect(await both(runs.resumeRuns, 31, 5)).toEqual([{ schedule: first, window: 1n, was: 'held' }]);
    expect(await both(runs.resumeRuns, 31, 5)).toEqual([]);
    await both(stopRun, stopped.id, { state: 'failed', code: 'c', detail: 'd', resumeAt: null } as never);
    expect(await both(operatorRuns.abandonRun, stopped.id, { reason: Buffer.from([4]), key_id: 'old' }, 32)).toBe(true);
    expect(await both(operatorRuns.findAbandonment, stopped.id)).toMatchObject({ reason: Buffer.from([4]) });
    expect(await both(dataKeys.findToRotate, 'abandoned_runs', 'new')).toMatchObject([
      { id: stopped.id, row: { schedule: first } },
    ]);
    expect(await both(dataKeys.saveReason, stopped.id, 'old', wrapped)).toBe(true);
    expect(await both(dataKeys.saveReason, stopped.id, 'old', wrapped)).toBe(false);
    for (const count of [overview.countUnfinishedRuns, overview.countFinishedRuns]) await both(count);
    await both(overview.countRunsOf, first);
    expect(await both(deletion.findStored, first)).toEqual({ lists: 1, runs: 4, isAtWork: true });
  });

  it('what is compared with the ledger', async () => {
    const lost = {
      schedule: first,
      ending: { window: 7n, claimsPaid: 3, paidAmount: 9n, at: 40_000 },
      recipients: 3,
      reasons: { held: 1 },
      openedAt: 39_000,
      transactions: [
        { purpose: 'delegate', signature: 'D', at: 39_000 },
        { purpose: 'settle', signature: 'E', at: 40_000 },
      ],
    } as const;
    const id = await both(reconcile.saveLostRun, lost);
    expect(await both(reconcile.saveLostRun, lost)).toBeUndefined();
    expect(await both(reconcile.signaturesOfOthers, first, [1n], ['D', 'E', 'F'])).toEqual(new Set(['D', 'E']));
    expect(await both(transactions.findSettlingTransactions, [id as number])).toHaveLength(1);
    await both(transactions.deleteUnneeded, [9_999]);
    await both(reconcile.endRunAs, (await runOf(2n)).id, { window: 2n, claimsPaid: 3, paidAmount: 9n, at: 41_000 }, {});
    await both(reconcile.saveReconciled, [
      { schedule: first, before: 1n, paidTotal: 2n ** 64n },
      { schedule: stranger, before: 1n, paidTotal: 1n },
    ]);
    expect(await both(reconcile.findKnown, [first, second, stranger])).toMatchObject([
      { from: 1n, paidBefore: 2n ** 64n, roots: [root] },
      { from: 0n, runs: [] },
    ]);
    for (const column of ['address', 'vault', 'mint'] as const) await both(reconcile.findKnownAfter, column, '', 10);
    await both(leases.beginLease, { executor: 'holder', instance: 'holder', leaseMs: 60_000 });
    await both(reconciliation.requestRound);
    expect(await both(reconciliation.claimRound, 'holder', 60_000)).toEqual({ place: '', found: {} });
    const place = { place: 'x', found: { 'list-missing': 2 } };
    expect(await both(reconciliation.saveRound, 'other', place, 60_000)).toBe(false);
    expect(await both(reconciliation.saveRound, 'holder', place, 60_000)).toBe(true);
    await both(reconciliation.releaseRound, 'holder');
    expect(await both(reconciliation.claimRound, 'holder', 60_000)).toEqual(place);
    expect(await both(reconciliation.endRound, 'holder', place.found, 60_000)).toBe(true);
    await alike(reconciliation.lastRound, () => []);
    await both(schedules.saveClosedSchedules, [second], { slot: 9n, time: 50_000 });
    expect(await both(schedules.findSchedule, second)).toMatchObject({ status: 'cancelled', seen_slot: '9' });
  });

  it('events', async () => {
    const [{ events }] = await alike(runEvents.readEvents, () => [0n, 1_000]);
    expect(events.length).toBeGreaterThan(10);
    const { last } = await both(runEvents.findEventRange);
    await alike(runEvents.readEvents, () => [last, 10]);
    await both(runEvents.trimEvents, 5);
    await both(runEvents.countEventsBefore, 1);
    await both(runEvents.removeEventsBefore, 1);
    expect(await both(runEvents.findEventRange)).toEqual({ first: last - 4n, last });
  });

  it('leases and the engine’s jobs', async () => {
    expect(await both(leases.holdName, '9223372036854775807')).toBe(true);
    await both(leases.beginLease, { executor: 'a/1', instance: 'a', leaseMs: -1_000 });
    await both(leases.beginLease, { executor: 'b/1', instance: 'b', leaseMs: 60_000 });
    expect(await both(leases.renewLease, 'b/1', 60_000)).toEqual({ live: 1, expired: 1 });
    expect(await both(leases.renewLease, 'gone', 60_000)).toBeUndefined();
    expect(await both(leases.takeExpiredLeases, 'gone', 60_000)).toEqual([]);
    expect(await both(leases.takeExpiredLeases, 'b/1', 60_000)).toEqual(['a/1']);
    expect(await both(leases.takeFormerLeases, 'b', 'b/2')).toEqual(['b/1']);
    await both(leases.endLease, 'holder');
    expect(await both(jobs.findStrandedExecutors)).toEqual([]);
    await both(leases.endSessions, ['a/1']);
    expect(await both(jobs.returnJobs, ['a/1'])).toBe(0);
    const window = { schedule: first, window: 9n };
    expect(await both(jobs.findWithoutJob, [runIdOf(window)])).toEqual([runIdOf(window)]);
    await both(jobs.enqueueRun, window, { delayMs: 5_000, failures: 0 });
    expect(await both(jobs.findWithoutJob, [runIdOf(window)])).toEqual([]);
    expect(await both(jobs.enqueueLostRuns)).toEqual([]);
  });

  it('what is used once', async () => {
    const use = { key: 'k', schedule: first, root };
    expect(await both(idempotency.findAnswer, use, 5)).toBeUndefined();
    expect(await both(idempotency.saveAnswer, use, 201, 5)).toBe(201);
    expect(await both(idempotency.findAnswer, use, 6)).toBe(201);
    for (const store of stores()) {
      const other = idempotency.saveAnswer(store, { ...use, root: 'ff' }, 201, 6);
      await expect(other).rejects.toBeInstanceOf(idempotency.KeyReused);
    }
    expect(await both(idempotency.findAnswer, { ...use, root: 'ff' }, 6)).toBeUndefined();
    expect(await both(idempotency.findAnswer, { ...use, schedule: randomAddress() }, 6)).toBeUndefined();
    const digest = Buffer.alloc(32, 1);
    const [later, before] = [Date.now() + 600_000, 9];
    expect(await both(nonces.takeNonce, digest, later)).toBe('taken');
    expect(await both(nonces.takeNonce, digest, later)).toBe('replayed');
    expect(await both(nonces.takeNonce, Buffer.alloc(32, 2), before)).toBe('expired');
  });

  it('grants', async () => {
    const id = '0b7f3a52-6c1d-4e8f-9a20-5d7c1e3b8f64';
    const grant = {
      id,
      schedule: first,
      auditor,
      scope: 'recipients',
      named: Buffer.from([1]),
      wrapped_key: Buffer.from([2]),
      key_id: 'old',
      created_at: 1,
      ends_at: 100,
    } as const;
    await both(grants.saveGrant, grant as never);
    for (const store of stores()) {
      await expect(grants.saveGrant(store, grant as never)).rejects.toMatchObject({ code: '23505' });
      const lonely = grants.saveGrant(store, { ...grant, id: id.replace('0b', '0c'), schedule: stranger } as never);
      await expect(lonely).rejects.toMatchObject({ code: '23503' });
    }
    expect(await both(grants.listGrants, first)).toMatchObject([{ named: Buffer.from([1]), revoked_at: null }]);
    expect(await both(grants.findActiveGrants, first, 50, auditor)).toHaveLength(1);
    const page = { at: 50, beyond: '', limit: 5 };
    expect(await both(grants.listHeldGrants, auditor, page)).toMatchObject([{ id, from_window: null }]);
    expect(await both(grants.listHeldGrants, auditor, { ...page, beyond: id })).toEqual([]);
    expect(await both(grants.listHeldGrants, auditor, { ...page, at: 100 })).toEqual([]);
    await both(grants.saveUse, { grant_id: id, used_at: 60, kind: 'totals', window_number: 3n, subject: null });
    expect(await both(grants.findUses, id)).toMatchObject({ count: 1, last: [{ id: '1', window_number: '3' }] });
    expect(await both(dataKeys.findToRotate, 'auditor_grants', 'new')).toHaveLength(1);
    await both(dataKeys.replaceKey, 'auditor_grants', id, renewed);
    expect(await both(grants.revokeGrant, first, id, 70)).toMatchObject({ revoked_at: '70', key_id: 'new' });
    expect(await both(grants.countGrantsEndedBefore, 80)).toBe(1);
    await both(grants.deleteGrantsEndedBefore, 60);
    await both(grants.deleteGrantsOf, first);
    expect(await both(grants.listGrants, first)).toEqual([]);
  });

  it('webhooks and their messages', async () => {
    const id = '1b7f3a52-6c1d-4e8f-9a20-5d7c1e3b8f64';
    const endpoint = {
      id,
      vault,
      schedule: first,
      types: ['run.held', 'run.completed'],
      content: Buffer.from([1]),
      wrapped_key: Buffer.from([2]),
      key_id: 'old',
      created_at: 1,
    };
    expect(await both(webhooks.saveWebhook, endpoint as never)).toBe(true);
    const scope = { vault, schedule: first };
    expect(await both(webhooks.listWebhooks, scope)).toMatchObject([
      { types: endpoint.types, content: Buffer.from([1]) },
    ]);
    await both(webhooks.saveWebhookContent, id, Buffer.from([3]));
    await both(webhooks.findWebhook, scope, id);
    expect(await both(webhooks.findEndpoint, id)).toMatchObject({ content: Buffer.from([3]) });
    expect(await both(webhooks.noteFailing, id, 5)).toBe(5);
    expect(await both(webhooks.noteFailing, id, 6)).toBe(5);
    await both(webhooks.lockEndpoint, id);
    await both(webhooks.noteWorking, id);
    expect(await both(dataKeys.findToRotate, 'webhook_endpoints', 'new')).toHaveLength(1);
    await both(dataKeys.replaceKey, 'webhook_endpoints', id, renewed);

    const run = await runOf(3n);
    await both(stopRun, run.id, { state: 'held', code: 'funding-short', detail: '', resumeAt: 90 });
    await alike(webhookMessages.addTestMessage, () => [{ endpointId: id, schedule: first }]);
    const taken = await alike(webhookMessages.takeMessages, () => [[], { ofKind: 5, ofOwner: 5 }, 60_000]);
    expect(taken[0]).toMatchObject([{ tries: 0, attempts: [], state: 'pending' }]);
    const attempt = { at: 9, outcome: 'delivered', status: 200, milliseconds: 3 } as const;
    const record = () =>
      alike(webhookMessages.recordDelivery, (place) => [taken[place][0] as never, attempt, undefined]);
    expect(await record()).toEqual([true, true]);
    expect(await record()).toEqual([false, false]);
    const listed = await alike(webhookMessages.listMessages, () => [id, 10]);
    expect(listed[0].length).toBeGreaterThan(1);
    expect(listed[0].some(({ attempts: tries }) => tries.length === 1)).toBe(true);
    expect(await both(webhookMessages.replayMessages, id, { since: 0 })).toBeGreaterThan(0);
    await alike(webhookMessages.countWebhooks, () => []);
    expect(await both(webhooks.disableWebhook, id, 'gone', 8)).toBe(true);
    expect(await both(webhooks.disableWebhook, id, 'gone', 8)).toBe(false);
    expect(await both(webhookMessages.countMessagesBefore, 1)).toBe(0);
    await both(webhookMessages.removeMessagesBefore, 1);
    await both(webhooks.removeWebhook, id);
    await both(webhooks.saveWebhook, endpoint as never);
    await both(webhooks.deleteWebhooksOf, first);
    expect(await both(webhooks.findEndpoint, id)).toBeUndefined();
  });

  it('notices', async () => {
    const id = '7d0c5f1e-8a3b-4c2d-9e4f-6b1a2c3d4e5f';
    await both(serviceKeys.saveNewServiceKey, 'notices 1', { keyId: 'old', wrapped: Buffer.from([1]) }, 1);
    const [owner, address] = [Buffer.from([7]), Buffer.from([8])];
    const row = {
      id,
      kind: 'mail',
      vault: null,
      schedule: null,
      types: ['recipient.paid'],
      owner,
      owner_key: 'notices 1',
      unsubscribe_hash: Buffer.from([9]),
      most_waiting: 1,
      content: Buffer.from([1]),
      wrapped_key: Buffer.from([2]),
      key_id: 'old',
      created_at: 1,
      disabled_at: 1,
      disabled_why: 'unconfirmed',
    };
    const owners = [owner, Buffer.from([6])] as const;
    const added = { row, owners, address, now: 1 } as never;
    expect(await both(notices.addNotice, added)).toBeUndefined();
    expect(await both(notices.listNotices, owners)).toMatchObject([{ id, disabled_why: 'unconfirmed' }]);
    expect(await both(notices.findNoticesOf, [owner], 'recipient.paid')).toEqual([]);
    await both(notices.confirmNotice, id);
    await both(notices.pauseNotice, id, 5);
    expect(await both(notices.findNotice, owners, id)).toMatchObject({ disabled_why: null });
    expect(await both(notices.findNoticesOf, [owner], 'recipient.paid')).toHaveLength(1);
    expect(await both(notices.findNoticesOf, [owner], 'withdrawal.paid')).toEqual([]);
    expect(await both(notices.areNoticesOf, 'recipient.paid')).toBe(true);
    expect(await both(notices.areNoticesOf, 'withdrawal.paid')).toBe(false);
    const message = { endpointId: id, type: 'recipient.paid', at: 5, sealed: Buffer.from([3]) } as const;
    await both(notices.addRecipientMessage, message);
    await both(notices.addRecipientMessage, message);
    const listed = await alike(webhookMessages.listMessages, () => [id, 10]);
    expect(listed[0].map(({ type }) => type)).toEqual(['recipient.paid', 'notice.code']);
    await both(webhookMessages.forgetMessages, id, undefined);
    expect((await alike(webhookMessages.listMessages, () => [id, 10]))[0]).toEqual([]);

    const run = await runOf(3n);
    for (const store of stores()) await store.insertInto('notice_runs').values({ run_id: run.id }).execute();
    expect(await both(notices.listNoticeRuns)).toEqual([{ runId: run.id, window: 3n }]);
    expect(await both(notices.endNoticeRun, run.id)).toBe(true);
    expect(await both(notices.endNoticeRun, run.id)).toBe(false);

    expect(await both(notices.findNoticesKeyed, ['notices 1'])).toHaveLength(1);
    await both(serviceKeys.saveNewServiceKey, 'notices 2', { keyId: 'old', wrapped: Buffer.from([1]) }, 1);
    expect(await both(serviceKeys.removeServiceKey, 'notices 1')).toBe(false);
    await both(notices.saveNoticeOwner, id, { owner: address, owner_key: 'notices 2' });
    expect(await both(serviceKeys.removeServiceKey, 'notices 1')).toBe(true);
    expect(await both(notices.removeUnsubscribed, Buffer.from([9]))).toBe(1);
    await both(notices.removeUnconfirmed, 90_000_000);
    expect(await both(serviceKeys.removeServiceKey, 'notices 2')).toBe(true);
  });

  it('invitations', async () => {
    const [id, mark, sealed] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.from([3])];
    const row = { id, employer: 'e', vault: 'v', content: sealed, kept: sealed, created_at: 1, expires_at: 9 };
    expect(await both(invitations.addInvitations, 'e', [row], 1)).toBe(true);
    expect(await both(invitations.findInvitation, id, 1)).toMatchObject({ vault: 'v' });
    expect(await both(invitations.findInvitation, id, 9)).toBeUndefined();
    const answer = { invitation: id, mark, sealed };
    expect(await both(invitations.addAnswer, answer, 2)).toBe('kept');
    expect(await both(invitations.addAnswer, answer, 3)).toBe('kept');
    expect(await both(invitations.addAnswer, answer, 9)).toBe('unknown');
    for (const byte of [4, 5]) await both(invitations.addAnswer, { ...answer, mark: Buffer.from([byte]) }, 4);
    expect(await both(invitations.addAnswer, { ...answer, mark: Buffer.from([6]) }, 4)).toBe('full');
    expect(await both(invitations.listInvitations, 'e', 5)).toMatchObject([
      { answers: [{ answered_at: '2' }, {}, {}] },
    ]);
    expect(await both(invitations.listInvitations, 'e', 9)).toEqual([]);
    expect(await both(invitations.removeInvitation, 'f', id)).toBe(false);
    await both(invitations.removeExpiredInvitations, 8);
    expect(await both(invitations.removeInvitation, 'e', id)).toBe(true);
  });

  it('requests for other addresses', async () => {
    const key = { keyId: 'old', wrapped: Buffer.from([1]) };
    for (const name of ['changes 1', 'changes 2']) await both(serviceKeys.saveNewServiceKey, name, key, 1);
    const [tag, moved, content] = [Buffer.from([7]), Buffer.from([8]), Buffer.from([9])];
    const id = '7d0c5f1e-8a3b-4c2d-9e4f-6b1a2c3d4e60';
    const row = { tag, id, key_name: 'changes 1', employer: 'e', vault: 'v', content, created_at: 5 };
    await both(addressChanges.saveAddressChange, row, [tag, moved]);
    await both(addressChanges.saveAddressChange, row, [tag, moved]);
    expect(await both(addressChanges.listAddressChanges, 'e', 6)).toMatchObject([{ id }]);
    expect(await both(addressChanges.findAddressChangesKeyed, [])).toEqual([]);
    expect(await both(addressChanges.findAddressChangesKeyed, ['changes 1'])).toHaveLength(1);
    expect(await both(serviceKeys.removeServiceKey, 'changes 1')).toBe(false);
    await both(addressChanges.moveAddressChange, tag, { tag: moved, key_name: 'changes 2', content });
    expect(await both(serviceKeys.removeServiceKey, 'changes 1')).toBe(true);
    await both(addressChanges.removeOldAddressChanges, 6);
    expect(await both(addressChanges.removeAddressChange, 'f', id)).toBe(false);
    expect(await both(addressChanges.removeAddressChange, 'e', id)).toBe(true);
    expect(await both(serviceKeys.removeServiceKey, 'changes 2')).toBe(true);
  });

  it('what lasts', async () => {
    const limits = { fundingLowWindows: 100, windowLateSeconds: 1 };
    await both(conditions.noteLowFunding, limits);
    await both(conditions.noteLateWindows, limits, 9_000_000_000n);
    expect(await both(conditions.noteStuckWithdrawals, mint, 2)).toBe(true);
    expect(await both(conditions.noteStuckWithdrawals, mint, 3)).toBe(false);
    expect(await both(conditions.findStuckTokens)).toEqual([mint]);
    const counts = await both(conditions.countConditions);
    expect(counts['withdrawal.stuck']).toBe(1);
    await both(conditions.endStuckWithdrawals, mint);
    await both(conditions.noteLateWindows, limits, 0n);
    expect(await both(conditions.countConditions)).toMatchObject({ 'window.late': 0, 'withdrawal.stuck': 0 });
  });

  it('tags and withdrawals', async () => {
    expect((await alike(recipientTags.findUnindexed, () => [0]))[0]?.schedule).toBe(first);
    const tags = [1, 2, 3].map((byte) => Buffer.alloc(16, byte));
    const stored = { keyId: 'k', wrapped: Buffer.from([1]) };
    for (const keyName of ['one 1', 'one 2']) await both(serviceKeys.saveNewServiceKey, keyName, stored, 1);
    expect((await both(serviceKeys.listServiceKeys, 'one ')).map(({ name }) => name)).toEqual(['one 1', 'one 2']);
    const tagged1 = { listId: list[0].id, keyName: 'one 1' };
    await both(recipientTags.beginTags, { ...tagged1, keyName: 'one 2' });
    await both(recipientTags.saveTags, { ...tagged1, keyName: 'one 2' }, 0, tags.toReversed());
    expect((await alike(recipientTags.findTaggedOtherwise, () => ['one 1', 0]))[0]?.id).toBe(list[0].id);
    await both(recipientTags.beginTags, tagged1);
    await both(recipientTags.saveTags, tagged1, 0, tags);
    await both(recipientTags.saveTags, { ...tagged1, keyName: 'one 2' }, 3, tags);
    await both(recipientTags.saveTags, { ...tagged1, listId: 9_999 }, 0, tags);
    await both(recipientTags.markIndexed, tagged1);
    expect(await both(recipientTags.findTagging, list[0].id)).toEqual({ index_key: 'one 1', is_indexed: true });
    expect(await both(recipientTags.findPlaces, list[0].id, tags.slice(1))).toEqual([1, 2]);
    expect(await both(recipientTags.lastListId)).toBeGreaterThan(1);
    const tagged = await alike(recipientTags.findTagged, () => [tags.slice(1)]);
    expect(tagged[1].map(({ place, tag }) => [place, tag])).toEqual([
      [1, tags[1]],
      [2, tags[2]],
    ]);
    const row = { tag: tags[0] as Buffer, month: 24_000, key_name: 'one 1', content: Buffer.from([1]) };
    expect(await both(withdrawals.addWithdrawal, row)).toBe(true);
    expect(await both(withdrawals.addWithdrawal, row)).toBe(false);
    expect(await both(withdrawals.changeWithdrawal, row.tag, Buffer.from([2]))).toBe(true);
    expect(await both(withdrawals.changeWithdrawal, Buffer.alloc(16, 9), Buffer.from([2]))).toBe(false);
    expect(await both(withdrawals.findWithdrawalsKeyed, ['one 1'])).toHaveLength(1);
    expect(await both(serviceKeys.removeServiceKey, 'one 1')).toBe(false);
    expect(await both(serviceKeys.removeServiceKey, 'one 2')).toBe(true);
    const moved = { ...row, content: Buffer.from([2]) };
    expect(await both(withdrawals.moveWithdrawal, { tag: row.tag, content: row.content }, moved)).toBe(true);
    expect(await both(withdrawals.findWithdrawals, tags)).toEqual([{ tag: tags[0], content: Buffer.from([2]) }]);
    expect(await both(withdrawals.firstMonth)).toBe(24_000);
    expect(await both(withdrawals.countWithdrawalsBefore, 24_001)).toBe(1);
    await both(withdrawals.removeWithdrawalsBefore, 24_001);
    expect(await both(withdrawals.firstMonth)).toBeUndefined();
  });

  it('wallets that were paid, and transfers that were relayed', async () => {
    const paid = { mint, number: 7n, wallet: stranger, at: 5 };
    await both(paidWallets.addPaidWallets, [paid, { ...paid, number: 8n, at: 20 }]);
    await both(paidWallets.addPaidWallets, [paid]);
    const noted = (signature: string) =>
      both(paidWallets.noteRelayed, paid, { signature, last_valid_block_height: '9' }, 1);
    expect(await noted('one')).toBe('noted');
    expect(await noted('one')).toBe('known');
    expect(await noted('two')).toBe('noted');
    expect(await noted('three')).toBe('too-many');
    await both(paidWallets.relayedLanded, 'one');
    await both(paidWallets.forgetRelayed, 'one');
    expect(await both(paidWallets.unlandedOf, paid)).toEqual([{ signature: 'two', last_valid_block_height: '9' }]);
    await both(paidWallets.forgetRelayed, 'two');
    expect(await noted('three')).toBe('noted');
    expect(await both(paidWallets.countPaidWalletsBefore, 20)).toBe(1);
    await both(paidWallets.removePaidWalletsBefore, 20);
    // One payout is left, which gives no more than there were.
    expect(await noted('four')).toBe('too-many');
    await both(paidWallets.removePaidWalletsBefore, 30);
    expect(await both(paidWallets.unlandedOf, paid)).toEqual([]);
  });

  it('rounds', async () => {
    const decided = { mint, round: 43_200n, leaves: true, parts: 5, people: 2 };
    await both(rounds.keepDecided, decided);
    await both(rounds.keepDecided, { ...decided, leaves: false });
    await both(rounds.keepDecided, { ...decided, round: 86_400n, leaves: false });
    expect(await both(rounds.decidedFor, 43_200n, [mint, stranger])).toEqual(new Map([[mint, true]]));
    expect(await both(rounds.lastDecided, mint, { limit: 9, leaves: true })).toEqual([decided]);
    expect(await both(rounds.lastDecided, mint, { limit: 1 })).toMatchObject([{ round: 86_400n }]);
    expect(await both(rounds.leftBeforePay, stranger, { round: 86_400n, least: 0n })).toBeUndefined();
    expect(await both(rounds.countWithoutSize)).toBeGreaterThan(0);
    await both(rounds.keepSize, mint, { size: 500n, from: 9n, now: 9n });
    await both(rounds.keepSize, mint, { size: 200n, from: 90n, now: 10n });
    await both(rounds.keepSize, mint, { size: 100n, from: 99n, now: 11n });
    const held = { size: 500n, from: 9n };
    expect(await both(rounds.sizesAt, mint, 12n)).toEqual({ size: held, next: { size: 100n, from: 99n } });
    expect(await both(rounds.sizesBetween, mint, 9n, 98n)).toEqual([500n]);
    expect(await both(rounds.sizesBetween, mint, 0n, 99n)).toEqual([100n, 500n]);
    expect(await both(rounds.sizesBetween, mint, 100n, 101n)).toEqual([100n]);
    await both(rounds.forgetAnnounced, mint, 12n);
    expect(await both(rounds.sizesAt, mint, 99n)).toEqual({ size: held, next: undefined });
    const next = await both(rounds.nextWindowOf, mint, { after: -1n, least: 0n });
    expect(await both(rounds.nextWindowOf, mint, { after: -1n, least: 2n ** 64n })).toBeUndefined();
    const terms = await both(rounds.publicTerms, mint, 0n);
    expect(terms.some(({ next_execution }) => BigInt(next_execution) === next)).toBe(true);
    expect(await both(rounds.publicTerms, stranger, 0n)).toEqual([]);
    await both(rounds.settledPay, mint, { since: 0, windows: 1 });
  });

  it('liabilities trees', async () => {
    const trees = await alike(liabilities.treeKey, () => [mint, keys, 1]);
    const found = await each(liabilities.findTreeKey, () => [mint, keys]);
    expect(found).toEqual(trees);
    expect(await both(liabilities.findTreeKey, stranger, keys)).toBeUndefined();
    const recording = (number: bigint, chunks = 1) => ({
      recording: {
        mint,
        number: String(number),
        sequence: '1',
        root,
        total: '9',
        covered_to: '5',
        leaves: 0,
        created_at: '3',
      },
      chunks: Array.from({ length: chunks }, (_, chunk) => ({
        chunk,
        part: 'what' as const,
        hash: Buffer.alloc(32, chunk),
        content: Buffer.from([1]),
      })),
      transaction: {
        signature: `R${number}`,
        wire: '',
        last_valid_block_height: '7',
        ledger: 'base' as const,
        purpose: 'record' as const,
        created_at: '3',
      },
      runs: [],
    });
    const id = await both(liabilities.saveRecording, recording(1n) as never);
    await both(liabilities.saveRecording, recording(2n, 70) as never);
    for (const store of stores()) {
      await expect(liabilities.saveRecording(store, recording(2n) as never)).rejects.toThrow('meanwhile');
    }
    expect(await both(liabilities.findRecording, mint, 1n, root)).toMatchObject({
      number: '2',
      transaction_id: id + 1,
    });
    expect(await both(liabilities.lastRecordingNumber, mint)).toBe(2n);
    const sent = { signature: 'settlement', wire: 'wire', last_valid_block_height: '9' };
    await both(liabilities.keepSettlement, sent, [], 2);
    expect(await both(liabilities.findUnsettledRecordings, mint)).toHaveLength(2);
    expect(await both(liabilities.chunksChangedAfter, mint, 1n)).toHaveLength(70);
    expect(
      await each(liabilities.readChunks, (place) => [{ mint, number: 2n, chunks: 0, key: trees[place].key }]),
    ).toEqual([[], []]);
    const hashes = await both(liabilities.readChunkHashes, { mint, number: 2n });
    expect(hashes).toHaveLength(70);
    expect(hashes[7]).toEqual({ chunk: 7, number: '2', hash: Buffer.alloc(32, 7), isBalances: false });
    const opened = await each(liabilities.openChunks, (place) => [{ mint, number: 2n, key: trees[place].key }, [99]]);
    expect(opened).toEqual([[], []]);
    const none = await each(liabilities.readWithdrawals, (place) => [{ mint, number: 2n, key: trees[place].key }]);
    expect(none).toEqual([undefined, undefined]);
    await both(liabilities.deleteRecordingsBefore, mint, 2n);
    expect(await both(liabilities.listTrees)).toEqual([mint]);
  });

  it('places of balances', async () => {
    const [{ key }, { key: other }] = await each(liabilities.findTreeKey, () => [mint, keys]).then(
      (found) => found as unknown as Each<{ readonly key: Uint8Array }>,
    );
    const keyOf = (place: 0 | 1) => ({ mint, key: [key, other][place] as Uint8Array });
    const terms = Buffer.concat([1, 1, 2].map((one) => Buffer.alloc(LEAF_TERMS_BYTES, one)));
    let drawn = 0;
    const allotment = (place: 0 | 1) => ({
      ...{ mint, lists: [{ list: list[place], vault, terms }], at: 1, mostBalances: 10_000 },
      ...{ randomBelow: () => 0, newNonce: () => Buffer.alloc(16, drawn++) },
    });
    const given = await same(slots.allotPlaces, (place) => [keys, allotment(place)]);
    expect(given).toMatchObject({ from: 1, nextPage: 17 });
    const [places] = given.places as [Uint32Array];
    expect([...places]).toEqual([places[0], places[0], places[2]]);
    expect(await same(slots.allotPlaces, (place) => [keys, allotment(place)])).toMatchObject({
      from: 17,
      nextPage: 17,
    });
    list = (await alike(lists.findList, () => [first, root])) as Each<lists.ListRow>;
    called.add(slots.readPlaces);
    for (const each of list) expect(await slots.readPlaces(each, keys)).toEqual(places);
    expect(await both(slots.countBalancePlaces)).toBe(16 * PAGE_SLOTS);
    const pages = await alike(pageNames.readPages, () => [keys, mint, 1]);
    expect(pages[0]).toHaveLength(16);
    expect(await both(pageNames.takePageNumber, mint)).toBe(17);
    await alike(pageNames.savePages, (place) => [keyOf(place), [{ number: 40, nonce: Buffer.alloc(16, 99) }]]);
    const known = await each(owners.readOwners, (place) => [{ ...keyOf(place), vaults: [vault], expected: 0 }]);
    for (const { index, parts } of known) expect([index.count, parts.get(vault)]).toEqual([2, 1]);
    await each(owners.findElsewhere, (place) => [{ ...keyOf(place), vaults: ['another'] }, [terms], new OwnerIndex(0)]);
    const entry = (one: number, at: number) => Buffer.concat([Buffer.alloc(32, one), Buffer.from([at, 2, 0, 0])]);
    await alike(owners.saveOwners, (place) => [{ ...keyOf(place), vault, part: 1 }, entry(3, 7)]);
    const shown = { mint, pages: [], entries: Buffer.concat([entry(3, 9), entry(200, 7)]), at: 1 };
    expect(await both(slots.isBehind, keys, { ...shown, entries: Buffer.alloc(0) })).toBe(false);
    expect(await both(slots.isBehind, keys, shown)).toBe(true);
    const code = Buffer.alloc(32, 77);
    const allotted = { mint, at: 9, owner: code, isMade: () => true, randomBelow: () => 0 };
    expect(await both(slots.allotOwner, keys, { ...allotted, isMade: () => false })).toBeUndefined();
    const codePlace = await both(slots.allotOwner, keys, allotted);
    expect(codePlace).toBeTypeOf('number');
    expect(await both(slots.allotOwner, keys, { ...allotted, randomBelow: () => 1 })).toBe(codePlace);
    expect(await same(owners.findPaid, (place) => [keyOf(place), code])).toBe(codePlace);
    expect(await same(owners.findPaid, (place) => [keyOf(place), Buffer.alloc(32, 78)])).toBeUndefined();
    const beside = Buffer.alloc(32, 77).fill(1, 1);
    await same(owners.savePaid, (place) => [keyOf(place), beside, 0x301]);
    expect(await same(owners.findPaid, (place) => [keyOf(place), beside])).toBe(0x301);
    expect(await both(owners.findAdopted, keys, mint, Buffer.alloc(32, 200))).toBeUndefined();
    await alike(owners.adoptOwners, (place) => [keyOf(place), shown.entries]);
    await both(slots.adoptPages, keys, shown);
    expect(await both(owners.findAdopted, keys, mint, Buffer.alloc(32, 200))).toBe(0x207);
    list = (await alike(lists.findList, () => [first, root])) as Each<lists.ListRow>;
    expect(list.map(({ places }) => places)).toEqual([null, null]);
  });

  it('keys', async () => {
    expect(await both(serviceKeys.listServiceKeys, 'recipients')).toEqual([]);
    await both(serviceKeys.saveNewServiceKey, 'recipients', { keyId: 'old', wrapped: Buffer.from([1]) }, 3);
    await both(serviceKeys.saveNewServiceKey, 'recipients', { keyId: 'old', wrapped: Buffer.from([2]) }, 3);
    await both(dataKeys.countKeyUse);
    const [rotated] = await alike(dataKeys.findToRotate, () => ['recipient_lists' as const, 'new']);
    expect(rotated).toHaveLength(2);
    expect(await both(dataKeys.countToRotate, 'new')).toBeGreaterThan(2);
    const locked = () =>
      alike(dataKeys.lockKeyed, (place) => ['recipient_lists' as const, list[place].id, list[place].wrapped_key]);
    expect((await locked())[0]).toMatchObject({ schedule: first });
    await alike(dataKeys.replaceKey, (place) => ['recipient_lists' as const, list[place].id, renewed]);
    expect(await locked()).toEqual([undefined, undefined]);
    expect((await alike(dataKeys.findToRotate, () => ['liability_trees' as const, 'new']))[0]).toHaveLength(1);
    await both(dataKeys.replaceKey, 'liability_trees', mint, renewed);
    const paid = { table: 'run_payments', key: ['run_id'], content: 'paid' } as const;
    const resealed: unknown[] = [];
    await alike(dataKeys.resealContents, (place) => [
      { ...paid, of: ['list_id', list[place].id] as const },
      (row, sealed) => {
        resealed.push(row);
        return sealed;
      },
    ]);
    expect(resealed.length).toBeGreaterThan(1);
    await both(serviceKeys.saveNewServiceKey, 'recipients 1', { keyId: 'before', wrapped: Buffer.from([1]) }, 3);
    expect(await alike(serviceKeys.findFormerServiceKey, () => ['new'])).toHaveLength(2);
    expect(await both(dataKeys.countKeyUse)).toHaveLength(5);
  });

  it('what is removed', async () => {
    expect(await both(retention.countOutdated, 40_500)).toMatchObject({ runs: 2 });
    await both(retention.removeOldRuns, 40_500);
    await both(retention.removeOldLists, 40_500);
    expect(await both(retention.countOutdated, 40_500)).toEqual({ runs: 0, attempts: 0, transactions: 0, lists: 0 });
    expect(await both(dataKeys.deleteRows, 'recipient_lists', sql<boolean>`id = 9999`)).toBe(0);
    expect(await both(deletion.deleteListsOf, first)).toBe(1);
    await both(deletion.vacuumLists);
    await both(deletion.deleteHistory, first);
    expect(await both(deletion.findStored, first)).toBeUndefined();
  });

  it('every query of the store is among these', async () => {
    const missing: string[] = [];
    for (const file of readdirSync(QUERIES)) {
      const exported = (await import(`../src/store/queries/${file.replace('.ts', '')}.ts`)) as Record<string, unknown>;
      for (const [name, value] of Object.entries(exported)) {
        const isQuery = typeof value === 'function' && !/^[A-Z]/.test(name) && !PURE.includes(value);
        if (isQuery && !called.has(value)) missing.push(`${file} ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('the same tables, and no migration left', async () => {
    const columns = async (pool: Database['pool']) =>
      (
        await pool.query(`select table_schema, table_name, column_name, data_type, is_nullable, column_default
          from information_schema.columns where table_schema in ('public', 'graphile_worker') order by 1, 2, 3`)
      ).rows;
    expect(await columns(embedded.database.pool)).toStrictEqual(await columns(server.database.pool));
    const { rows } = await embedded.database.pool.query('select name from kysely_migration');
    expect(rows).toHaveLength(Object.keys(MIGRATIONS).length);
  });
});
