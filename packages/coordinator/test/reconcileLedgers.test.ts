import { randomBytes } from 'node:crypto';
import {
  type BatchArgs,
  BatchPhase,
  bitmapHash,
  DELEGATION_PROGRAM_ADDRESS,
  findBatchAddress,
  findPoolAddress,
  getBatchEncoder,
  getPoolEncoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type ScheduleArgs,
  SchedulePhase,
  ScheduleStatus,
  systemTime,
} from '@payouts/client';
import { BLANK_BATCH, BLANK_POOL } from '@payouts/testing/blankAccounts';
import type { Signature } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunState, runIdOf } from '../src/domain/run.ts';
import { connectBase, connectLayer } from '../src/ledger/rpc.ts';
import { createMetrics, type Metrics } from '../src/platform/metrics.ts';
import type { Difference } from '../src/reconciliation/compare.ts';
import { compareAll } from '../src/reconciliation/compareAll.ts';
import { Healer } from '../src/reconciliation/heal.ts';
import { compareFrom, type RoundInput } from '../src/reconciliation/round.ts';
import { listKey } from '../src/store/crypto/listKey.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { openPayments } from '../src/store/crypto/paymentRecord.ts';
import { listAttempts } from '../src/store/queries/attempts.ts';
import { findWithoutJob } from '../src/store/queries/jobs.ts';
import { findList } from '../src/store/queries/lists.ts';
import { findPayments, listSettledRuns } from '../src/store/queries/payments.ts';
import { findKnown } from '../src/store/queries/reconcile.ts';
import { removeOldRuns } from '../src/store/queries/retention.ts';
import { findRun, finishRun, type RunRow } from '../src/store/queries/runs.ts';
import { useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { silentLog } from './support/log.ts';
import { type Promised, promise, randomAddress, scheduleOver, somePayees, vaultData } from './support/promised.ts';
import { addRun, stopRun } from './support/runs.ts';
import { FIRST_AT, MadeHistory } from './support/settledWindows.ts';
import { useStore } from './support/stores.ts';

const PROGRAM = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const RECIPIENTS = 13;
const EVERYBODY = Uint8Array.of(0xff, 0x1f);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const base = useLedger();
const layer = useLedger();

describe('compared with the ledgers', () => {
  const store = useStore();
  const payloadKeys = localPayloadKeys(randomBytes(32));
  const service = useApi(store, { ledger: base, payloadKeys });
  const keys = new AbortController();
  let history: MadeHistory;
  let metrics: Metrics;
  let healer: Healer;
  let paused: number;
  let now: number;
  /** What the ledger says of the schedule of a test, as far as it isn't its promise. */
  let promised: Promised;
  let terms: Partial<ScheduleArgs>;

  beforeEach(async () => {
    await store.database.pool.query('delete from schedules');
    // What an earlier test left open would be seen by the next.
    base.forget();
    history = new MadeHistory(PROGRAM);
    metrics = createMetrics();
    [paused, now] = [0, FIRST_AT];
    healer = new Healer(healerInput());
    promised = await registered();
    terms = {};
  });

  const healerInput = () => ({
    database: store.query,
    history,
    program: PROGRAM,
    payloadKeys,
    time: { now: () => now },
    log: silentLog,
    metrics,
  });

  async function registered(): Promise<Promised> {
    const made = promise(base, randomAddress(), somePayees(RECIPIENTS));
    await service.register(made);
    return made;
  }

  /** The base ledger changes. */
  function ledgerShows(change: Partial<ScheduleArgs>): void {
    const { schedulePda, vault, mint, list } = promised;
    terms = { ...terms, ...change };
    base.putSchedule(schedulePda, scheduleOver(list, { vault, mint, ...terms }));
  }

  /** The ledger settles the next window: opened and settled by a transaction each. */
  function settle(
    paidCount = RECIPIENTS,
    { isCutShort = false, isKept = true, hash = undefined as Uint8Array | undefined } = {},
  ): { opening: Signature; settlement: Signature; paidAmount: bigint } {
    const { schedulePda: schedule, list } = promised;
    const window = BigInt(terms.window ?? 0n);
    const amount = list.total;
    const paidAmount = (amount * BigInt(paidCount)) / BigInt(RECIPIENTS);
    const bitmap = hash ?? bitmapHash({ schedule, window, bitmap: EVERYBODY });
    const to = isKept ? history : new MadeHistory(PROGRAM);
    const opening = to.add(schedule, [
      { __kind: 'WindowOpened', schedule, window, amount, recipients: RECIPIENTS, held: 0 },
    ]);
    const ended = { schedule, window, paidCount, paidAmount, returned: amount - paidAmount, bitmapHash: bitmap };
    const settlement = to.add(schedule, [{ __kind: 'WindowSettled', ...ended }], { isCutShort });
    ledgerShows({
      window: window + 1n,
      lastPaidCount: paidCount,
      lastPaidAmount: paidAmount,
      lastBitmapHash: bitmap,
      lastSettledAt: BigInt(FIRST_AT / 1_000) + 100n,
      paidTotal: BigInt(terms.paidTotal ?? 0n) + paidAmount,
    });
    return { opening, settlement, paidAmount };
  }

  const key = (window: bigint) => ({ schedule: promised.schedulePda as string, window });
  const run = async (window: bigint): Promise<RunRow | undefined> => findRun(store.query, key(window));
  const recorded = (window: bigint) => addRun(store.query, key(window), { recipients: RECIPIENTS, at: FIRST_AT });
  async function ended(
    window: bigint,
    paidAmount: bigint | null,
    paid = RECIPIENTS,
    state: 'settled' | 'cancelled' = 'settled',
  ) {
    const { id } = await recorded(window);
    await finishRun(store.query, id, { state, paidAmount, claims: { paid }, at: FIRST_AT });
  }
  async function stopped(window: bigint, state: RunState): Promise<void> {
    const { id } = await recorded(window);
    await stopRun(store.query, id, { state, code: 'internal-error', detail: 'why', resumeAt: 5 });
  }

  async function compare(fix = true, more: Partial<RoundInput> = {}) {
    const { signal } = keys;
    const input: RoundInput = {
      base: connectBase({ url: base.url, time: systemTime, signal }),
      layer: connectLayer({ url: layer.url, time: systemTime, signal }),
      database: store.query,
      program: PROGRAM,
      withEngine: false,
      healer: fix ? healer : undefined,
      pause: async () => {
        paused += 1;
      },
      ...more,
    };
    const found = {
      healed: [] as string[],
      remaining: [] as string[],
      hasLayer: true,
      hasList: true,
      gaps: 0,
      places: [] as string[],
    };
    const short = ({ kind, window }: Difference) => (window === undefined ? kind : `${kind} ${window}`);
    for await (const step of compareFrom(input)) {
      found.healed.push(...step.healed.map(short));
      found.remaining.push(...step.remaining.map(short));
      found.hasLayer &&= step.hasLayer;
      found.hasList &&= step.hasList;
      found.gaps += step.gaps.length;
      found.places.push(step.place.split(' ')[0] as string);
    }
    return found;
  }
  const from = async () => (await findKnown(store.query, [promised.schedulePda]))[0]?.from;
  const nothing = { healed: [], remaining: [] };
  /** The same difference of the first three windows. */
  const three = (kind: Difference['kind']) => [0, 1, 2].map((window) => `${kind} ${window}`);

  it('finds nothing where nothing differs, and does not look at it again', async () => {
    const { paidAmount } = settle();
    await ended(0n, paidAmount);
    const found = await compare();
    expect(found).toMatchObject({ ...nothing, places: ['schedules', 'vaults', 'tokens'] });
    expect([paused, history.asked]).toEqual([0, 0]);
    expect(await from()).toBe(1n);
    // What is older than that may be gone: its retention is over.
    await removeOldRuns(store.query, FIRST_AT + DAY_MS);
    expect(await run(0n)).toBeUndefined();
    expect(await compare()).toMatchObject(nothing);
    const second = settle(4);
    await ended(1n, second.paidAmount, 4);
    expect(await compare()).toMatchObject(nothing);
    expect(await from()).toBe(2n);
  });

  it('rebuilds the runs of windows that it has lost, with their transactions, times and receipts', async () => {
    const first = settle();
    history.add(promised.schedulePda, [{ __kind: 'SchedulePaused', schedule: promised.schedulePda }], {
      hasFailed: true,
    });
    const second = settle(5, { hash: new Uint8Array(32).fill(7) });
    const third = settle();
    expect(await compare(false)).toMatchObject({ healed: [], remaining: three('run-missing') });
    expect(await run(0n)).toBeUndefined();

    expect(await compare()).toMatchObject({ healed: three('run-missing'), remaining: [] });
    expect(await from()).toBe(3n);
    const [zero, one, two] = [await run(0n), await run(1n), await run(2n)] as [RunRow, RunRow, RunRow];
    expect(zero).toMatchObject({
      state: 'settled',
      is_rebuilt: true,
      claims_paid: RECIPIENTS,
      claims_total: RECIPIENTS,
      unpaid: 0,
      paid_amount: first.paidAmount.toString(),
    });
    expect([zero.created_at, zero.started_at, zero.finished_at].map(Number)).toEqual([
      FIRST_AT,
      FIRST_AT,
      FIRST_AT + 1_000,
    ]);
    expect(one).toMatchObject({ claims_paid: 5, unpaid: 8, unpaid_reasons: { 'batch-timeout': 8 } });
    const attempts = await listAttempts(store.query, [zero.id, one.id, two.id]);
    expect(attempts.map(({ stage, outcome, signatures }) => [stage, outcome, ...signatures])).toEqual(
      [first, second, third].flatMap(({ opening, settlement }) => [
        ['delegate', 'succeeded', opening],
        ['commit', 'succeeded', settlement],
      ]),
    );
    // Everybody was paid in the first and third: the ledger's hash proves it. Of the second nobody can tell who was.
    const list = await listOf();
    const receipts = await listSettledRuns(store.query, [list.id], undefined, 9);
    expect(receipts.map((receipt) => [receipt.window_number, receipt.signature, receipt.is_confirmed])).toEqual([
      ['2', third.settlement, true],
      ['1', second.settlement, false],
      ['0', first.settlement, true],
    ]);
    expect(receipts[1]?.paid).toBeNull();
    const kept = await findPayments(store.query, zero.id);
    const place = { ...list, window: 0n };
    expect(openPayments(await listKey(list, payloadKeys), kept?.paid as Uint8Array, place)).toEqual({
      bitmap: Buffer.from(EVERYBODY),
      held: [],
    });
    expect(await compare()).toMatchObject(nothing);
  });

  const listOf = async () => {
    const { schedulePda, list } = promised;
    const found = await findList(store.query, schedulePda, Buffer.from(list.root).toString('hex'));
    if (found === undefined) throw new Error('not registered');
    return found;
  };

  it('rebuilds what a log that was cut short does not tell as not known, and windows of another root without receipts', async () => {
    settle(RECIPIENTS, { isCutShort: true });
    const { schedulePda: schedule, list } = promised;
    const change = { rootVersion: 1, amount: list.total, recipients: RECIPIENTS };
    history.add(schedule, [{ __kind: 'RecipientsUpdated', schedule, ...change }]);
    const second = settle();
    expect(await compare()).toMatchObject({ healed: ['run-missing 0', 'run-missing 1'], remaining: [] });
    expect(await run(0n)).toMatchObject({ state: 'settled', claims_paid: 0, paid_amount: null, unpaid: 0 });
    expect(await run(1n)).toMatchObject({ claims_paid: RECIPIENTS, paid_amount: second.paidAmount.toString() });
    const receipts = await listSettledRuns(store.query, [(await listOf()).id], undefined, 9);
    expect(receipts.map(({ window_number }) => window_number)).toEqual(['1']);
    // What a window paid that nobody tells stays a difference.
    const gap = { healed: [], remaining: ['run-differs 0'], gaps: 1 };
    expect(await compare()).toMatchObject(gap);
    expect(await from()).toBe(0n);
  });

  it('leaves a gap where the history ends, and asks for it again only after a day', async () => {
    settle(RECIPIENTS, { isKept: false });
    const { paidAmount } = settle(RECIPIENTS, { isKept: false });
    // A moment after a settlement the node may not have got to it yet.
    expect(await compare()).toMatchObject({ healed: [], remaining: ['run-missing 0', 'run-missing 1'] });
    now += HOUR_MS;
    const gap = { remaining: ['run-missing 0'], gaps: 1 };
    // The schedule's account tells of the last window.
    expect(await compare()).toMatchObject({ ...gap, healed: ['run-missing 1'] });
    expect(await run(1n)).toMatchObject({ paid_amount: paidAmount.toString(), is_rebuilt: true });
    expect(Number((await run(1n))?.finished_at)).toBe(FIRST_AT + 100_000);
    const { asked } = history;
    expect(await compare()).toMatchObject({ ...gap, healed: [] });
    expect(history.asked).toBe(asked);
    now += DAY_MS;
    await compare();
    expect(history.asked).toBeGreaterThan(asked);
    expect(await run(0n)).toBeUndefined();
  });

  it('finds runs that were compared and are lost since, but for those that are outdated or accepted as gaps', async () => {
    for (const window of [0n, 1n, 2n]) await ended(window, settle().paidAmount);
    const paidAmount = (await run(1n))?.paid_amount;
    expect(await compare()).toMatchObject(nothing);
    expect(await from()).toBe(3n);
    await store.database.pool.query('delete from execution_runs where window_number < 2');
    expect(await compare(false)).toMatchObject({ healed: [], remaining: ['run-missing 1', 'run-missing 0'] });
    expect(await compare()).toMatchObject({ healed: ['run-missing 1', 'run-missing 0'], remaining: [] });
    expect(await run(1n)).toMatchObject({ state: 'settled', is_rebuilt: true, paid_amount: paidAmount });
    expect(await compare()).toMatchObject(nothing);

    // The next is lost where the ledger's node does not tell of it.
    await ended(3n, settle(RECIPIENTS, { isKept: false }).paidAmount);
    await ended(4n, settle().paidAmount);
    expect(await compare()).toMatchObject(nothing);
    await store.database.pool.query('delete from execution_runs where window_number in (3, 4)');
    now += HOUR_MS;
    expect(await compare()).toMatchObject({ healed: ['run-missing 4'], remaining: ['run-missing 3'], gaps: 1 });
    const input = { base: connectBase({ url: base.url, time: systemTime, signal: keys.signal }), healer };
    const layerInput = {
      layer: connectLayer({ url: layer.url, time: systemTime, signal: keys.signal }),
      pause: async () => {},
    };
    const where = { database: store.query, program: PROGRAM, withEngine: false };
    const accepted = await compareAll({ ...input, ...layerInput, ...where }, { acceptsGaps: true });
    expect(accepted.remaining).toEqual([]);
    expect(await compare()).toMatchObject(nothing);
    // What is before an accepted gap is not looked for any more, what is after it is.
    await store.database.pool.query('delete from execution_runs where window_number in (0, 4)');
    expect(await compare(false)).toMatchObject({ remaining: ['run-missing 4'] });
  });

  it('ends runs that stand still as the ledger says, and leaves those at work alone', async () => {
    const first = settle(7);
    const second = settle();
    const third = settle(9);
    await stopped(0n, 'exhausted');
    await stopped(1n, 'abandoned');
    await stopped(2n, 'held');
    settle();
    await recorded(3n);
    expect(await compare(false)).toMatchObject({ remaining: three('run-not-ended') });
    expect(await compare()).toMatchObject({ healed: three('run-not-ended'), remaining: [] });
    for (const [window, { paidAmount }, paid] of [
      [0n, first, 7],
      [1n, second, RECIPIENTS],
      [2n, third, 9],
    ] as const) {
      expect(await run(window)).toMatchObject({
        state: 'settled',
        claims_paid: paid,
        unpaid: RECIPIENTS - paid,
        paid_amount: paidAmount.toString(),
        error_code: null,
        resume_at: null,
        is_rebuilt: false,
      });
    }
    expect(Number((await run(0n))?.finished_at)).toBe(FIRST_AT + 1_000);
    expect(Number((await run(0n))?.settled_at)).toBe(FIRST_AT + 1_000);
    expect((await run(3n))?.state).toBe('queued');
    expect(await from()).toBe(0n);
  });

  it('corrects runs that ended otherwise than the ledger says', async () => {
    const first = settle();
    const second = settle(6);
    const third = settle(8);
    await ended(0n, null, 0);
    await ended(1n, null, 0, 'cancelled');
    await ended(2n, third.paidAmount + 1n, 9);
    expect(await compare()).toMatchObject({ healed: three('run-differs'), remaining: [] });
    for (const [window, { paidAmount }, paid] of [
      [0n, first, RECIPIENTS],
      [1n, second, 6],
      [2n, third, 8],
    ] as const) {
      expect(await run(window)).toMatchObject({
        state: 'settled',
        claims_paid: paid,
        paid_amount: paidAmount.toString(),
      });
    }
    expect(await from()).toBe(3n);
  });

  it('notices that runs together are not what the schedule has paid, and finds which', async () => {
    const first = settle(4);
    const second = settle();
    await ended(0n, first.paidAmount + 5n, 4);
    await ended(1n, second.paidAmount);
    const found = await compare();
    expect(found).toMatchObject({ healed: ['run-differs 0', 'run-differs 1'], remaining: [] });
    expect((await run(0n))?.paid_amount).toBe(first.paidAmount.toString());
  });

  it('creates the run of an open window that has none', async () => {
    ledgerShows({ phase: SchedulePhase.Open, windowRecipients: RECIPIENTS, windowAmount: promised.list.total });
    await putBatches({ window: 0n, phase: BatchPhase.Open });
    expect(await compare(false)).toMatchObject({ remaining: ['open-without-run 0'] });
    expect(await compare()).toMatchObject({ healed: ['open-without-run 0'], remaining: [] });
    expect(await run(0n)).toMatchObject({ state: 'queued', claims_total: RECIPIENTS });
    const id = runIdOf({ schedule: promised.schedulePda, window: 0n });
    expect(await findWithoutJob(store.query, [id])).toEqual([]);
  });

  it('touches no run that is over before its window is', async () => {
    await ended(0n, 5n);
    ledgerShows({});
    expect(await compare()).toMatchObject({ healed: [], remaining: ['run-ended-early 0'] });
    ledgerShows({ phase: SchedulePhase.Open, windowRecipients: RECIPIENTS });
    await putBatches({ window: 0n, phase: BatchPhase.Open });
    expect(await compare()).toMatchObject({ healed: [], remaining: ['run-ended-early 0'] });
    expect(await run(0n)).toMatchObject({ state: 'settled', paid_amount: '5' });
    // One that was cancelled before it opened is right, unless the window may open yet.
    await store.database.pool.query("update execution_runs set state = 'cancelled', paid_amount = null");
    ledgerShows({ phase: SchedulePhase.Idle, status: ScheduleStatus.Cancelled });
    expect(await compare()).toMatchObject(nothing);
    ledgerShows({ status: ScheduleStatus.Active });
    expect(await compare()).toMatchObject({ remaining: ['run-ended-early 0'] });
  });

  it('says which lists are missing before they are due', async () => {
    ledgerShows({ root: randomBytes(32), rootVersion: 1 });
    expect(await compare()).toMatchObject({ healed: [], remaining: ['list-missing'] });
    // The window that is open was promised before.
    ledgerShows({ executionsLeft: 1, phase: SchedulePhase.Open });
    await recorded(0n);
    await putBatches({ window: 0n, phase: BatchPhase.Open });
    expect(await compare()).toMatchObject(nothing);
    ledgerShows({ executionsLeft: 3, status: ScheduleStatus.Cancelled });
    expect(await compare()).toMatchObject(nothing);
  });

  it('ends the runs of a schedule that was closed, by its history alone', async () => {
    const { schedulePda: schedule } = promised;
    const { paidAmount } = settle(6);
    await stopped(0n, 'failed');
    await stopped(1n, 'held');
    base.put(schedule, new Uint8Array(0), '11111111111111111111111111111111');
    // Another ledger would show nothing at all.
    const other = new MadeHistory(PROGRAM);
    const blind = new Healer({ ...healerInput(), history: other });
    const gone = ['schedule-gone 0', 'schedule-gone 1'];
    expect(await compare(true, { healer: blind })).toMatchObject({ healed: [], remaining: gone });
    history.add(schedule, [{ __kind: 'ScheduleClosed', schedule }]);
    expect(await compare()).toMatchObject({ healed: gone, remaining: [] });
    expect(await run(0n)).toMatchObject({ state: 'settled', claims_paid: 6, paid_amount: paidAmount.toString() });
    expect(await run(1n)).toMatchObject({ state: 'cancelled', paid_amount: null });
  });

  it('ends the run of a window that was reclaimed with what it had paid', async () => {
    const { schedulePda: schedule, list } = promised;
    const first = settle();
    await ended(0n, first.paidAmount);
    const amount = list.total;
    history.add(schedule, [{ __kind: 'WindowOpened', schedule, window: 1n, amount, recipients: RECIPIENTS, held: 0 }]);
    history.add(schedule, [{ __kind: 'WindowReclaimed', schedule, window: 1n, returned: amount - 3n }]);
    await stopped(1n, 'held');
    ledgerShows({ window: 2n, status: ScheduleStatus.Cancelled, paidTotal: first.paidAmount + 3n, executionsLeft: 0 });
    expect(await compare()).toMatchObject({ healed: ['run-not-ended 1'], remaining: [] });
    const unpaid_reasons = { 'layer-lost': RECIPIENTS };
    expect(await run(1n)).toMatchObject({ state: 'settled', claims_paid: 0, paid_amount: '3', unpaid_reasons });
    expect(await from()).toBe(2n);
  });

  function batchData(change: Partial<BatchArgs>): Uint8Array {
    const { schedulePda: schedule, list } = promised;
    const { root, total: amount } = list;
    const bitmap = new Uint8Array(2);
    const batch = { ...BLANK_BATCH, schedule, root, amount, bitmap, recipients: RECIPIENTS, ...change };
    return new Uint8Array(getBatchEncoder().encode(batch));
  }

  /** The layer has this batch; on the base ledger it is delegated, unless it is said to be back. */
  async function putBatches(change: Partial<BatchArgs>, isBack = false): Promise<void> {
    const at = await findBatchAddress(promised.schedulePda);
    base.put(at, batchData({}), isBack ? PROGRAM : DELEGATION_PROGRAM_ADDRESS);
    layer.put(at, batchData(change));
  }

  it('says which batches the layer does not have, and which it should not have any more', async () => {
    ledgerShows({ phase: SchedulePhase.Open, windowRecipients: RECIPIENTS });
    await recorded(0n);
    await putBatches({ window: 0n, phase: BatchPhase.Open });
    expect(await compare()).toMatchObject(nothing);
    for (const lost of [{ phase: BatchPhase.Closed }, { phase: BatchPhase.Idle }]) {
      await putBatches(lost);
      expect(await compare()).toMatchObject({ remaining: ['batch-not-in-layer 0'] });
    }
    // Closed and back is right; and so is what was gone a moment later.
    await putBatches({ phase: BatchPhase.Closed }, true);
    expect(await compare()).toMatchObject(nothing);
    await putBatches({ phase: BatchPhase.Closed });
    const pause = () => putBatches({ phase: BatchPhase.Closed }, true);
    expect(await compare(true, { pause })).toMatchObject(nothing);

    layer.isBroken = true;
    try {
      expect(await compare()).toMatchObject({ ...nothing, hasLayer: false });
    } finally {
      layer.isBroken = false;
    }
    await store.database.pool.query('delete from execution_runs');
    settle();
    ledgerShows({ phase: SchedulePhase.Idle });
    await putBatches({ window: 0n, phase: BatchPhase.Open }, true);
    expect(await compare()).toMatchObject({ healed: ['run-missing 0'], remaining: ['batch-left-in-layer 0'] });
  });

  it('says which windows are open of schedules that nobody has registered', async () => {
    ledgerShows({ phase: SchedulePhase.Open, windowRecipients: RECIPIENTS, openedAt: 1_800_000_000n });
    await putBatches({ window: 0n, phase: BatchPhase.Open });
    await recorded(0n);
    expect(await compare()).toMatchObject(nothing);
    await store.database.pool.query('delete from schedules');
    expect(await compare()).toMatchObject({ healed: [], remaining: ['open-unregistered 0'], places: ['unregistered'] });
    base.lists = false;
    expect(await compare()).toMatchObject({ ...nothing, hasList: false, places: ['unregistered'] });
    base.lists = true;
    ledgerShows({ phase: SchedulePhase.Idle });
    expect(await compare()).toMatchObject({ ...nothing, hasList: true, places: [] });
  });

  it('says which vaults and pools do not hold what they say, and which liabilities trees are missing', async () => {
    const { vault, mint } = promised;
    const tokens = (amount: bigint) => {
      const account = Buffer.alloc(165);
      account.writeBigUInt64LE(amount, 64);
      return new Uint8Array(account);
    };
    const [vaultTokens, poolTokens] = [randomAddress(), randomAddress()];
    base.put(vault, vaultData({ mint, tokenAccount: vaultTokens, reserved: 40n, deposited: 100n }));
    const pool = { ...BLANK_POOL, mint, tokenAccount: poolTokens, movedIn: 10n, coveredTo: 1n };
    const putPool = async (change: Partial<typeof pool> = {}) =>
      base.put(await findPoolAddress(mint), new Uint8Array(getPoolEncoder().encode({ ...pool, ...change })));
    await putPool();
    base.put(vaultTokens, tokens(100n));
    base.put(poolTokens, tokens(10n));
    expect(await compare()).toMatchObject(nothing);
    base.put(vaultTokens, tokens(99n));
    expect(await compare()).toMatchObject({ healed: [], remaining: ['money-rule'] });
    base.put(poolTokens, tokens(9n));
    expect(await compare()).toMatchObject({ remaining: ['money-rule', 'money-rule'] });
    base.put(vaultTokens, tokens(100n));
    base.put(poolTokens, tokens(10n));
    await putPool({ sequence: 4n, liabilitiesRoot: randomBytes(32) });
    expect(await compare()).toMatchObject({ remaining: ['liabilities-missing'] });
  });
});
