import { randomBytes, randomUUID } from 'node:crypto';
import { manualTime } from '@payouts/testing/manualTime';
import type { Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_TYPES } from '../src/domain/webhook.ts';
import { LedgerClock } from '../src/ledger/clock.ts';
import { noteConditions } from '../src/monitoring/conditions.ts';
import { endAttempt } from '../src/store/queries/attempts.ts';
import { countConditions, findStuckTokens } from '../src/store/queries/conditions.ts';
import { deleteHistory } from '../src/store/queries/deletion.ts';
import { saveLostRun } from '../src/store/queries/reconcile.ts';
import { findRegisteredSchedule } from '../src/store/queries/registeredSchedule.ts';
import { readEvents } from '../src/store/queries/runEvents.ts';
import { finishRun } from '../src/store/queries/runs.ts';
import { listMessages } from '../src/store/queries/webhookMessages.ts';
import { saveWebhook } from '../src/store/queries/webhooks.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { personalAccount, underWay } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';
import { addRun, begin, SUCCEEDED, stopRun } from './support/runs.ts';
import { useStore } from './support/stores.ts';
import { STUCK_SECONDS, workerOver } from './support/withdrawalWorker.ts';

const LIMITS = { fundingLowWindows: 2, windowLateSeconds: 900 };
const DUE = 1_700_000_000n;

const store = useStore();

/** A vault's webhook that is told everything; returns what it was told of those types. */
async function told(vault: string): Promise<(prefix: string) => Promise<readonly object[]>> {
  const id = randomUUID();
  await saveWebhook(store.query, {
    id,
    vault,
    schedule: null,
    types: [...WEBHOOK_TYPES],
    content: randomBytes(8),
    wrapped_key: randomBytes(8),
    key_id: 'key',
    created_at: 1,
  });
  return async (prefix) =>
    (await listMessages(store.query, id, 100))
      .filter(({ type }) => type.startsWith(prefix))
      .map(({ data }) => data)
      .reverse();
}

/** What lasts of a schedule, as the API shows it. */
const lasting = async (schedule: string) =>
  (await findRegisteredSchedule(store.query, schedule))?.conditions.map(({ kind, window }) => `${kind} ${window}`);

/** What of a schedule's conditions the stream of events has told. */
async function streamed(schedule: string): Promise<string[]> {
  const { events } = await readEvents(store.query, 0n, 10_000);
  return events
    .filter((event) => event.kind === 'condition' && event.schedule === schedule)
    .map(({ condition, state, window_number: window }) => `${condition} ${state} ${window}`);
}

/** A ledger's clock that is turned, and rounds of a service that may have been started just now. */
function rounds() {
  const time = manualTime(Number(DUE) * 1_000);
  const clock = new LedgerClock(time);
  clock.learn(DUE);
  return { time, round: () => noteConditions({ database: store.query, clock, limits: LIMITS }) };
}

describe('funding.low', () => {
  it('is told once when fewer than two further windows are covered, and again only after a deposit', async () => {
    const { query } = store;
    const schedule = await addSchedule(query, { window: 3 });
    const messages = await told(schedule);
    const { round } = rounds();
    const cover = (windows: number | null) =>
      changeSchedule(query, schedule, { covered_windows: windows, short_amount: '9', short_at: 1_800_000_000 });
    await cover(5);
    await round();
    expect(await messages('funding.low')).toEqual([]);
    for (const windows of [1, 1, null, 0]) {
      await cover(windows);
      await round();
    }
    const first = { schedulePda: schedule, window: '4', windowsCovered: 1, missing: '9', dueAt: 1_800_000_000_000 };
    expect(await messages('funding.low')).toEqual([first]);
    await cover(2);
    await round();
    expect(await lasting(schedule)).toEqual([]);
    await cover(0);
    await round();
    expect(await messages('funding.low')).toEqual([first, { ...first, window: '3', windowsCovered: 0 }]);
    expect(await streamed(schedule)).toEqual(['funding.low begun 4', 'funding.low over 4', 'funding.low begun 3']);
  });

  it('is told of a promise that is not covered, and not of what pays once or has not begun', async () => {
    const { query } = store;
    const short = await addSchedule(query, {});
    const once = await addSchedule(query, {});
    await changeSchedule(query, short, { covered_windows: 1 });
    await changeSchedule(query, once, { covered_windows: 1, executions_left: 1 });
    await rounds().round();
    expect(await lasting(short)).toEqual(['funding.low 1']);
    expect(await lasting(once)).toEqual([]);
    const before = (await countConditions(query))['funding.low'] - 1;
    await deleteHistory(query, short);
    expect((await countConditions(query))['funding.low']).toBe(before);
    expect(await streamed(short)).toEqual([]);
  });
});

describe('funding.low of a schedule without an end', () => {
  it('is told once fewer windows are covered than it keeps, so many windows before the first is missing', async () => {
    const { query } = store;
    const schedule = await addSchedule(query, {});
    const covers = (windows: number) =>
      changeSchedule(query, schedule, { kept: 4, kept_reserved: Math.min(4, windows), covered_windows: windows });
    await covers(4);
    await rounds().round();
    expect(await lasting(schedule)).toEqual([]);
    await covers(3);
    await rounds().round();
    expect(await lasting(schedule)).toEqual(['funding.low 3']);
    await covers(4);
    await rounds().round();
    expect(await lasting(schedule)).toEqual([]);
  });
});

describe('window.late', () => {
  it('is told a quarter of an hour after a window was due and did not open, and is over when it opens', async () => {
    const { query } = store;
    const schedule = await addSchedule(query, { due: DUE, window: 2 });
    const messages = await told(schedule);
    const { time, round } = rounds();
    await round();
    await time.advance(899_000);
    await round();
    expect(await messages('window.late')).toEqual([]);
    const run = await addRun(query, { schedule, window: 2n });
    await stopRun(query, run.id, { state: 'held', code: 'list-missing', detail: '', resumeAt: 4 });
    await changeSchedule(query, schedule, { run_window: 2 });
    await time.advance(2_000);
    for (let again = 0; again < 3; again++) await round();
    const late = { schedulePda: schedule, window: '2', dueAt: Number(DUE) * 1_000 };
    expect(await messages('window.late')).toEqual([{ ...late, state: 'held', errorCode: 'list-missing' }]);
    await finishRun(query, run.id, { state: 'settled', paidAmount: 9n, claims: { paid: 3, reasons: {} }, at: 5 });
    await round();
    expect(await streamed(schedule)).toEqual(['window.late begun 2', 'window.late over 2']);
  });

  it('waits for the payment deadline of a window that is open, and is told of each window by itself', async () => {
    const { query } = store;
    const schedule = await addSchedule(query, { due: DUE, phase: 'open' });
    const messages = await told(schedule);
    const key = { schedule, window: 0n };
    const run = await addRun(query, key);
    await changeSchedule(query, schedule, { run_window: 0 });
    const { attemptId } = await begin(query, key, 'delegate', 2);
    await endAttempt(
      query,
      attemptId,
      SUCCEEDED,
      {
        landed: [],
        window: { recipients: 3, deadline: DUE + 3_600n },
      },
      3,
    );
    const { time, round } = rounds();
    await time.advance(4_000_000);
    await round();
    expect(await messages('window.late')).toEqual([]);
    await time.advance(501_000);
    await round();
    expect(await messages('window.late')).toHaveLength(1);
    await finishRun(query, run.id, { state: 'settled', paidAmount: 9n, claims: { paid: 3, reasons: {} }, at: 5 });
    await changeSchedule(query, schedule, { phase: 'idle', window_number: 1, next_execution: DUE });
    await round();
    expect((await messages('window.late')).map((data) => (data as { window: string }).window)).toEqual(['0', '1']);
    await changeSchedule(query, schedule, { status: 'paused' });
    await round();
    expect(await lasting(schedule)).toEqual([]);
  });
});

describe('schedule.completed', () => {
  const complete = (schedule: string) =>
    changeSchedule(store.query, schedule, { status: 'completed', window_number: 1, executions_left: 0 });

  it('is told once, whichever is seen first: the settlement, the end of the schedule, or both at once', async () => {
    const { query } = store;
    for (const order of ['settled first', 'over first', ...Array<string>(5).fill('at once')]) {
      const schedule = await addSchedule(query, {});
      const messages = await told(schedule);
      const run = await addRun(query, { schedule, window: 0n });
      const settle = () =>
        finishRun(query, run.id, { state: 'settled', paidAmount: 9n, claims: { paid: 3, reasons: {} }, at: 5 });
      if (order === 'settled first') await settle().then(() => complete(schedule));
      else if (order === 'over first') await complete(schedule).then(settle);
      else await Promise.all([complete(schedule), settle()]);
      expect([order, await messages('schedule.')]).toEqual([order, [{ schedulePda: schedule, windows: 1 }]]);
    }
  });

  it('is not told of a history that is rebuilt from the ledger', async () => {
    const { query } = store;
    const schedule = await addSchedule(query, {});
    const messages = await told(schedule);
    const ending = { window: 0n, claimsPaid: 3, paidAmount: 9n, at: 7 };
    await saveLostRun(query, { schedule, ending, recipients: 3, reasons: {}, openedAt: 5, transactions: [] });
    await complete(schedule);
    expect(await messages('schedule.')).toEqual([]);
  });
});

describe('withdrawal.stuck', () => {
  /** A process that pays the withdrawals of a token, while the layer issues none of them. */
  async function process(mint: Address, account: () => ReturnType<typeof personalAccount>) {
    const worker = await workerOver({ database: store.query, mint, accounts: () => [account()], execute: () => 1 });
    return {
      ...worker,
      /** Looks for so long, twice a minute. */
      async work(seconds: number) {
        for (let passed = 0; passed < seconds; passed += 30) {
          await worker.time.advance(30_000);
          await worker.poll();
        }
      },
    };
  }
  const stuck = () => findStuckTokens(store.query);

  it('is noted once for operators alone, outlives the process, and ends when nothing is under way any more', async () => {
    const { query } = store;
    const mint = randomAddress();
    const schedule = await addSchedule(query, { mint });
    const messages = await told(schedule);
    let withdrawals = [underWay({ number: 7n, amount: 5n })];
    const account = () => personalAccount({ mint, withdrawals });
    const first = await process(mint, account);
    await first.work(STUCK_SECONDS - 30);
    expect(await stuck()).toEqual([]);
    await first.work(90);
    expect(await stuck()).toEqual([mint]);
    expect((await countConditions(query))['withdrawal.stuck']).toBe(1);
    expect(first.logged().split('withdrawals are stuck')).toHaveLength(2);

    const second = await process(mint, account);
    await second.work(STUCK_SECONDS + 60);
    expect(await stuck()).toEqual([mint]);
    expect(second.logged()).not.toContain('withdrawals are stuck');
    const third = await process(mint, account);
    withdrawals = [];
    await third.work(60);
    expect(await stuck()).toEqual([]);
    // An employer could tell from it who withdraws.
    expect(await messages('')).toEqual([]);
    expect(await streamed(schedule)).toEqual([]);
  });
});
