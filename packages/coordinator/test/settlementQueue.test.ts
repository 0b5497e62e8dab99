import { manualTime } from '@payouts/testing/manualTime';
import { describe, expect, it } from 'vitest';
import type { PendingSettlement } from '../src/liabilities/pendingSettlement.ts';
import { SettlementQueue } from '../src/liabilities/settlementQueue.ts';
import type { Refusal, SettlementRequest } from '../src/store/queries/settlements.ts';
import { silentLog } from './support/log.ts';
import { randomAddress } from './support/promised.ts';

/** Milliseconds that the ledger takes for a round. */
const ROUND_MS = 20;

/** A token whose settlements take some milliseconds, as one process sees it. */
function token({ isLeader }: { isLeader: boolean }) {
  const time = manualTime(0);
  const state = { isLeader };
  const rounds: number[][] = [];
  const answers = new Map<number, Refusal | null>();
  const settled = new Set<string>();
  const read: string[] = [];
  const recorder = {
    isLeader: async () => state.isLeader,
    settle: async (round: readonly PendingSettlement[]) => {
      rounds.push(round.map(({ settlement }) => settlement.runId));
      await time.pause(ROUND_MS);
      for (const pending of round) pending.settled();
    },
    reader: {
      windowNumbers: async (schedules: readonly string[]) => {
        read.push(...schedules);
        return new Map(schedules.map((schedule) => [schedule, settled.has(schedule) ? 1n : 0n]));
      },
    },
  };
  const store = {
    askSettlement: async ({ runId }: SettlementRequest) => void answers.set(runId, null),
    findAnswers: async (runIds: readonly number[]) => new Map([...answers].filter(([runId]) => runIds.includes(runId))),
    forgetSettlements: async () => {},
  };
  const { signal } = new AbortController();
  const queue = new SettlementQueue({ recorder, store, time, log: silentLog, signal } as never);
  let runs = 0;
  const ended: number[] = [];
  /** Asks for a settlement; its run. */
  const ask = (): SettlementRequest => {
    runs += 1;
    const request = { runId: runs, attemptId: 1, mint: 'mint', schedule: randomAddress(), window: 0n };
    void queue.ask(request).then(
      () => ended.push(request.runId),
      () => ended.push(-request.runId),
    );
    return request;
  };
  return { time, state, rounds, answers, settled, read, queue, ask, ended };
}

describe('settlements of a token', () => {
  it('are settled at once where none went before, and those that come meanwhile together', async () => {
    const { time, rounds, ask } = token({ isLeader: true });
    ask();
    await time.advance(0);
    expect(rounds).toEqual([[1]]);
    for (let each = 0; each < 10; each++) {
      ask();
      await time.advance(25);
    }
    expect(rounds).toEqual([[1]]);
    await time.advance(100);
    expect(rounds).toEqual([[1], [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]);
  });

  it('wait for others only as long as others come', async () => {
    const { time, rounds, ask } = token({ isLeader: true });
    ask();
    await time.advance(0);
    ask();
    await time.advance(50);
    ask();
    await time.advance(50);
    expect(rounds).toEqual([[1]]);
    await time.advance(60);
    expect(rounds).toEqual([[1], [2, 3]]);
  });

  it('that another process makes are looked up in the store, and in the ledger when the store has no more of them', async () => {
    const { time, answers, settled, read, ask, ended } = token({ isLeader: false });
    const [done, refused, waiting] = [ask(), ask(), ask()];
    await time.advance(1_000);
    expect(read).toEqual([]);
    answers.delete(done.runId);
    answers.set(refused.runId, { code: 'liabilities-stale', message: 'not now' });
    await time.advance(200);
    // Gone from the store, and not settled by what this node shows: the ledger alone says that it was.
    expect(ended).toEqual([-refused.runId]);
    settled.add(done.schedule);
    await time.advance(200);
    expect(ended).toEqual([-refused.runId, done.runId]);
    expect(read).not.toContain(waiting.schedule);
  });

  it('are seen to be settled though the process that settled them died before it said so', async () => {
    const { time, settled, ask, ended } = token({ isLeader: false });
    const asked = ask();
    settled.add(asked.schedule);
    await time.advance(9_000);
    expect(ended).toEqual([]);
    await time.advance(1_500);
    expect(ended).toEqual([asked.runId]);
  });

  it('are taken from the store once, by the process that has become the leader', async () => {
    const { time, state, rounds, queue, ask, ended } = token({ isLeader: false });
    const asked = ask();
    await time.advance(200);
    state.isLeader = true;
    queue.take(asked);
    expect(queue.stored).toEqual([asked.runId]);
    await time.advance(500);
    expect(rounds).toEqual([[asked.runId]]);
    expect(ended).toEqual([asked.runId]);
    expect(queue.stored).toEqual([]);
  });
});
