import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunKey } from '../src/domain/run.ts';
import { AttemptSuperseded, beginAttempt, endAttempt, saveClaims } from '../src/store/queries/attempts.ts';
import { createRuns, findRun, finishRun } from '../src/store/queries/runs.ts';
import { keepTransaction, settleTransaction } from '../src/store/queries/transactions.ts';
import { addSchedule } from './support/addSchedule.ts';
import { begin as beginTry, SUCCEEDED as done, newTransaction } from './support/runs.ts';
import { useStore } from './support/stores.ts';

describe('tries of a stage', () => {
  const store = useStore();
  const query = () => store.query;
  const nothing = { landed: [] };
  const attempts = () =>
    query().selectFrom('execution_attempts').select(['stage', 'number', 'outcome']).orderBy('id').execute();
  afterEach(async () => {
    await query().deleteFrom('schedules').execute();
  });

  async function addRun(): Promise<RunKey> {
    const key = { schedule: await addSchedule(query(), {}), window: 3n };
    await createRuns(query(), [{ ...key, recipients: 10 }], 1);
    return key;
  }
  const begin = (key: RunKey, stage: 'delegate' | 'claim', at: number) => beginTry(query(), key, stage, at);

  it('are numbered for each stage, and the run shows the one under way', async () => {
    const key = await addRun();
    const first = await begin(key, 'delegate', 5);
    expect(first).toMatchObject({
      number: 1,
      interrupted: [],
      run: { schedule: key.schedule, window_number: '3', state: 'running', stage: 'delegate', started_at: '5' },
    });
    await endAttempt(query(), first.attemptId, { ...done, outcome: 'retried' }, nothing, 6);
    const second = await begin(key, 'delegate', 7);
    await endAttempt(query(), second.attemptId, done, nothing, 8);
    const third = await begin(key, 'claim', 9);
    expect([second.number, third.number]).toEqual([2, 1]);
    expect(third.run).toMatchObject({ id: first.run.id, stage: 'claim', started_at: '5', unpaid_reasons: {} });
    expect(await attempts()).toEqual([
      { stage: 'delegate', number: 1, outcome: 'retried' },
      { stage: 'delegate', number: 2, outcome: 'succeeded' },
      { stage: 'claim', number: 1, outcome: 'running' },
    ]);
  });

  it('cut off whatever was running before, which can then not be recorded any more', async () => {
    const key = await addRun();
    const { attemptId } = await begin(key, 'delegate', 1);
    expect(await begin(key, 'claim', 2)).toMatchObject({ number: 1, interrupted: ['delegate'] });
    await expect(endAttempt(query(), attemptId, done, nothing, 3)).rejects.toBeInstanceOf(AttemptSuperseded);
  });

  it('end with the beginning of the next stage in one record', async () => {
    const key = await addRun();
    const { attemptId } = await begin(key, 'delegate', 1);
    const findings = { landed: [], window: { recipients: 10, deadline: 70n } };
    const { begun, paidBefore, wasOver } = await endAttempt(query(), attemptId, done, findings, 2, 'claim');
    expect({ begun, paidBefore, wasOver }).toMatchObject({
      paidBefore: 0,
      wasOver: false,
      begun: {
        number: 1,
        interrupted: [],
        run: { state: 'running', stage: 'claim', batch_deadline: '70', started_at: '1' },
      },
    });
    expect(await attempts()).toEqual([
      { stage: 'delegate', number: 1, outcome: 'succeeded' },
      { stage: 'claim', number: 1, outcome: 'running' },
    ]);
    // The same end again is not recorded, and begins nothing.
    await expect(endAttempt(query(), attemptId, done, nothing, 3, 'claim')).rejects.toBeInstanceOf(AttemptSuperseded);
    expect(await attempts()).toHaveLength(2);
    const claimed = await endAttempt(query(), begun?.attemptId as number, done, nothing, 4, 'commit');
    expect(claimed.begun).toMatchObject({ number: 1, run: { stage: 'commit' } });
  });

  it('begin nothing for a run that was abandoned meanwhile, and what they have found stands', async () => {
    const key = await addRun();
    const { run, attemptId } = await begin(key, 'claim', 1);
    await query().updateTable('execution_runs').set({ state: 'abandoned' }).where('id', '=', run.id).execute();
    const claims = { paid: 4, reasons: { 'claim-refused': 6 } };
    const recorded = await endAttempt(query(), attemptId, done, { landed: [], claims }, 2, 'commit');
    expect(recorded).toEqual({ paidBefore: 0, wasOver: false, begun: undefined });
    expect(await findRun(query(), key)).toMatchObject({
      state: 'abandoned',
      stage: 'claim',
      claims_paid: 4,
      unpaid: 6,
    });
    expect(await attempts()).toEqual([{ stage: 'claim', number: 1, outcome: 'succeeded' }]);
  });

  it('end a run once, whoever records it first', async () => {
    const key = await addRun();
    const { run, attemptId } = await begin(key, 'claim', 1);
    const over = {
      state: 'settled',
      paidAmount: 9n,
      claims: { paid: 9, reasons: { held: 1 } },
      settledAt: 1,
      at: 2,
    } as const;
    expect(await endAttempt(query(), attemptId, done, { landed: [], over }, 2)).toMatchObject({
      paidBefore: 0,
      wasOver: false,
    });
    const times = { finished_at: '2', settled_at: '1' };
    const settled = { state: 'settled', stage: null, paid_amount: '9', claims_paid: 9, unpaid: 1, ...times };
    expect(await findRun(query(), key)).toMatchObject(settled);

    // Somebody else's try that was begun before ends as the run is over.
    const { id } = await query()
      .insertInto('execution_attempts')
      .values({ run_id: run.id, stage: 'commit', number: 1, outcome: 'running', started_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const later = { ...over, paidAmount: 8n, claims: { paid: 8, reasons: {} }, at: 3 };
    expect(await endAttempt(query(), id, done, { landed: [], over: later }, 3)).toMatchObject({
      paidBefore: 9,
      wasOver: true,
    });
    expect(await findRun(query(), key)).toMatchObject(settled);
  });

  it('that end as others of the run begin wait for each other, and never for ever', async () => {
    const key = await addRun();
    let { attemptId } = await begin(key, 'delegate', 1);
    for (let round = 0; round < 20; round++) {
      const ending = endAttempt(query(), attemptId, done, nothing, 2, 'claim').catch((error: Error) => error);
      const [ended, begun] = await Promise.all([ending, begin(key, 'delegate', 3)]);
      if (ended instanceof Error) expect(ended).toBeInstanceOf(AttemptSuperseded);
      const running = (await attempts()).filter(({ outcome }) => outcome === 'running');
      expect(running).toEqual([{ stage: 'delegate', number: begun.number, outcome: 'running' }]);
      attemptId = begun.attemptId;
    }
  });

  it('that begin at the same moment come one after the other, and the last cuts off the others', async () => {
    const key = await addRun();
    const begun = await Promise.all([1, 2, 3, 4].map((at) => begin(key, 'delegate', at)));
    expect(begun.map(({ number }) => number).toSorted()).toEqual([1, 2, 3, 4]);
    expect(begun.flatMap(({ interrupted }) => interrupted)).toEqual(['delegate', 'delegate', 'delegate']);
    expect((await attempts()).map(({ outcome }) => outcome).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'interrupted'),
      'running',
    ]);
  });

  it('leave the run as it is once a later one has cut them off', async () => {
    const key = await addRun();
    const ghost = await begin(key, 'claim', 1);
    expect(await saveClaims(query(), ghost.attemptId, { paid: 2 })).toBe(0);
    const later = await begin(key, 'claim', 2);
    expect(await saveClaims(query(), later.attemptId, { paid: 3 })).toBe(2);
    const waits = { ...done, outcome: 'waiting', leaves: { state: 'waiting', resumeAt: 9 } } as const;
    await endAttempt(query(), later.attemptId, waits, nothing, 3);

    const before = await findRun(query(), key);
    expect(before).toMatchObject({ state: 'waiting', resume_at: '9', claims_paid: 3, error_code: null });
    await expect(saveClaims(query(), ghost.attemptId, { paid: 2 })).rejects.toBeInstanceOf(AttemptSuperseded);
    const leaves = { state: 'exhausted', resumeAt: null } as const;
    const failed = { outcome: 'failed', code: 'claims-refused', detail: '', leaves } as const;
    await expect(endAttempt(query(), ghost.attemptId, failed, nothing, 4)).rejects.toBeInstanceOf(AttemptSuperseded);
    expect(await findRun(query(), key)).toEqual(before);
  });

  it('that note their progress as another begins wait for it, and find that they are cut off', async () => {
    const key = await addRun();
    const { attemptId } = await begin(key, 'claim', 1);
    const isWaiting = async () => {
      const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%under_way%'`;
      return (await waiting.execute(query())).rows.length > 0;
    };
    const noted = await query()
      .transaction()
      .execute(async (transaction) => {
        await beginTry(transaction, key, 'claim', 2);
        const ghost = saveClaims(query(), attemptId, { paid: 2 }).catch((error: Error) => error);
        await expect.poll(isWaiting).toBe(true);
        return { ghost };
      });
    expect(await noted.ghost).toBeInstanceOf(AttemptSuperseded);
    expect(await findRun(query(), key)).toMatchObject({ claims_paid: 0 });
  });

  it('leave a run by their own code, for a time or for good, unless somebody has abandoned it', async () => {
    const key = await addRun();
    const retried = { outcome: 'retried', code: 'batch-not-visible', detail: 'why' } as const;
    const goesOn = { state: 'running', resumeAt: null } as const;
    const first = await begin(key, 'claim', 1);
    await endAttempt(query(), first.attemptId, { ...retried, leaves: goesOn }, nothing, 2);
    const shown = { error_code: 'batch-not-visible', error_detail: 'why' };
    expect(await findRun(query(), key)).toMatchObject({ state: 'running', stage: 'claim', resume_at: null, ...shown });

    const { run, attemptId } = await begin(key, 'claim', 3);
    await query().updateTable('execution_runs').set({ state: 'abandoned' }).where('id', '=', run.id).execute();
    const held = { outcome: 'held', code: 'list-missing', detail: '', leaves: { state: 'held', resumeAt: 9 } } as const;
    await endAttempt(query(), attemptId, held, { landed: [], claims: { paid: 4 } }, 4);
    const abandoned = { state: 'abandoned', resume_at: null, claims_paid: 4, ...shown };
    expect(await findRun(query(), key)).toMatchObject(abandoned);
  });

  it('keep a transaction that is signed twice with the same bytes once, with its end open again', async () => {
    const { run, attemptId } = await begin(await addRun(), 'delegate', 1);
    const transaction = newTransaction(run.id, attemptId, 'S');
    const { id } = await keepTransaction(query(), transaction);
    await settleTransaction(query(), id, 'failed');
    expect(await keepTransaction(query(), transaction)).toMatchObject({ id, isNew: true });
    expect(await keepTransaction(query(), { ...transaction, signature: 'T' })).toMatchObject({ id, signature: 'S' });
  });

  it('begin for no run that is over or not recorded', async () => {
    const key = await addRun();
    const { run } = await begin(key, 'delegate', 1);
    await finishRun(query(), run.id, { state: 'cancelled', paidAmount: null, at: 2 });
    expect(await beginAttempt(query(), key, 'claim', 3)).toBeUndefined();
    expect(await beginAttempt(query(), { ...key, window: 4n }, 'claim', 3)).toBeUndefined();
    expect(await attempts()).toHaveLength(1);
  });
});
