import { afterEach, describe, expect, it } from 'vitest';
import type { RunKey } from '../src/domain/run.ts';
import { AttemptSuperseded, beginAttempt, endAttempt } from '../src/store/queries/attempts.ts';
import { createRuns, finishRun } from '../src/store/queries/runs.ts';
import { keepTransaction, settleTransaction } from '../src/store/queries/transactions.ts';
import type { BegunAttempt } from '../src/store/runStore.ts';
import { addSchedule } from './support/addSchedule.ts';
import { STORES, useStore } from './support/stores.ts';

const done = { outcome: 'succeeded', code: null, detail: null } as const;

describe.each(STORES)('tries of a stage on %s', (name) => {
  const store = useStore(name);
  const query = () => store.database.query;
  const nothing = { landed: [] };
  const attempts = () =>
    query().selectFrom('execution_attempts').select(['stage', 'number', 'outcome']).orderBy('id').execute();
  afterEach(async () => {
    await query().deleteFrom('schedules').execute();
  });

  async function addRun(): Promise<RunKey> {
    const schedule = await addSchedule(query(), {});
    const key = { schedule, window: 3n };
    await createRuns(query(), [{ ...key, recipients: 10 }], 1);
    return key;
  }
  const begin = async (key: RunKey, stage: 'delegate' | 'claim', at: number): Promise<BegunAttempt> => {
    const begun = await beginAttempt(query(), key, stage, at);
    if (typeof begun === 'string') throw new Error(`The run is ${begun}.`);
    return begun;
  };

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

  it('keep a transaction that is signed twice with the same bytes once, with its end open again', async () => {
    const { run, attemptId } = await begin(await addRun(), 'delegate', 1);
    const transaction = {
      run_id: run.id,
      attempt_id: attemptId,
      ledger: 'base',
      purpose: 'delegate',
      signature: 'S',
      wire: 'AA==',
      last_valid_block_height: '150',
      created_at: 1,
    } as const;
    const { id } = await keepTransaction(query(), transaction);
    await settleTransaction(query(), id, 'failed');
    expect(await keepTransaction(query(), transaction)).toMatchObject({ id, isNew: true });
    expect(await keepTransaction(query(), { ...transaction, signature: 'T' })).toMatchObject({ id, signature: 'S' });
  });

  it('begin for no run that is over or not recorded', async () => {
    const key = await addRun();
    const { run } = await begin(key, 'delegate', 1);
    await finishRun(query(), run.id, { state: 'cancelled', paidAmount: null, at: 2 });
    expect(await beginAttempt(query(), key, 'claim', 3)).toBe('ended');
    expect(await beginAttempt(query(), { ...key, window: 4n }, 'claim', 3)).toBe('missing');
    expect(await attempts()).toHaveLength(1);
  });
});
