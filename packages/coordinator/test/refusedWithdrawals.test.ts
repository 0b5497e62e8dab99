import { randomBytes } from 'node:crypto';
import {
  PAYOUT_LEDGER_ERROR__NOT_COVERED,
  PAYOUT_LEDGER_ERROR__WITHDRAWAL_UNDER_WAY,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import type { MemcmpFilter } from '../src/ledger/ledger.ts';
import { WithdrawalTree } from '../src/liabilities/withdrawalTree.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { WithdrawalWorker } from '../src/withdrawals/worker.ts';
import { addSchedule } from './support/addSchedule.ts';
import { countOf } from './support/counted.ts';
import { keptLog } from './support/log.ts';
import { personalAccount, underWay } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const store = useStore();
const NUMBER = 7n;
const START = 1_800_000_000_000;

/** A worker over a layer that refuses a withdrawal with an error of the program, as long as `isHealed` says no. */
async function refusing(code: number, isHealed: (recordings: number) => boolean) {
  const time = manualTime(START);
  const metrics = createMetrics();
  const { log, logged } = keptLog(time);
  const { signal } = new AbortController();
  const mint = randomAddress();
  await addSchedule(store.query, { mint });
  const wallet = randomAddress();
  const account = personalAccount({ mint, withdrawals: [underWay({ number: NUMBER, amount: 5n, wallet })] });
  let sends = 0;
  let recordings = 0;
  const pool = () => ({ pool: { sequence: BigInt(recordings), coveredTo: NUMBER + 1n }, isPaid: () => false });
  const recorded = new WithdrawalTree(randomBytes(32), mint, [{ number: NUMBER, amount: 5n, wallet }]);
  const recorder = {
    mint,
    cover: async () => {},
    payable: async () => recorded,
    isLeader: async () => true,
    shared: (work: () => unknown) => work(),
    reader: { pool: async () => pool() },
    async record(isDone: () => Promise<boolean>) {
      while (!(await isDone())) recordings += 1;
    },
  };
  const layer = {
    programAccounts: async (_: Address, filters: readonly MemcmpFilter[]) =>
      filters.every(({ at, bytes }) => bytes.every((byte, place) => account.data[at + place] === byte))
        ? [account]
        : [],
    lifetime: async () => ({ blockhash: randomAddress(), lastValidBlockHeight: 9n }),
    async send() {
      sends += 1;
      if (isHealed(recordings)) return { kind: 'taken' };
      return { kind: 'refused', err: { InstructionError: [1, { Custom: code }] }, logs: [] };
    },
    statuses: async () => [{ err: null, commitment: 'confirmed' }],
  };
  const worker = new WithdrawalWorker({
    ...{ time, metrics, log, signal, draining: signal, database: store.query, layer, base: layer },
    authority: await generateKeyPairSigner(),
    config: randomAddress(),
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    liabilities: { of: () => recorder },
    history: { note: () => {} },
    intervalMs: 500,
    releaseSeconds: 60,
    randomBelow: () => randomBytes(1)[0] ?? 0,
  } as never);
  return {
    time,
    logged,
    sends: () => sends,
    recordings: () => recordings,
    counted: (outcome: string) => countOf(metrics, 'service_withdrawals_total', { outcome }),
    poll: () => time.during(worker.poll()),
  };
}

it('a withdrawal that the layer refuses is left alone for longer and longer, and said in the log', async () => {
  const { time, logged, sends, counted, poll } = await refusing(PAYOUT_LEDGER_ERROR__NOT_COVERED, () => false);
  await poll();
  const afterFirst = sends();
  // Two looks a second, for a quarter of an hour.
  for (let look = 0; look < 1_800; look++) {
    await time.advance(500);
    await poll();
  }
  expect(sends() - afterFirst).toBeLessThan(10);
  expect(await counted('refused')).toBe(1 + sends() - afterFirst);
  expect(logged()).toContain('withdrawal refused; tried again later');
  expect(logged()).toContain('NotCovered');
  expect(logged().split('withdrawal refused').length - 1).toBe(await counted('refused'));
});

it('a layer whose copy of the pool is old has it renewed: the pool is recorded anew, and the withdrawal issued', async () => {
  const { time, logged, recordings, counted, poll } = await refusing(
    PAYOUT_LEDGER_ERROR__NOT_COVERED,
    (recorded) => recorded > 0,
  );
  await poll();
  expect(recordings()).toBe(1);
  expect(logged()).toContain('the pool is recorded anew');
  expect(await counted('issued')).toBe(0);
  await time.advance(5_000);
  await poll();
  expect(await counted('issued')).toBe(1);
  expect(recordings()).toBe(1);
});

it('one that is under way is neither counted as refused nor a reason to record anything', async () => {
  const { recordings, counted, poll } = await refusing(PAYOUT_LEDGER_ERROR__WITHDRAWAL_UNDER_WAY, () => false);
  await poll();
  expect(await counted('refused')).toBe(0);
  expect(recordings()).toBe(0);
});
