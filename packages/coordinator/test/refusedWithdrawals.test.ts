import { PAYOUT_LEDGER_ERROR__NOT_COVERED, PAYOUT_LEDGER_ERROR__WITHDRAWAL_UNDER_WAY } from '@payouts/client';
import { expect, it } from 'vitest';
import { addSchedule } from './support/addSchedule.ts';
import { personalAccount, underWay } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';
import { workerOver } from './support/withdrawalWorker.ts';

const store = useStore();
const NUMBER = 7n;

/** A worker over a layer that refuses a withdrawal with an error of the program, as long as `isHealed` says no. */
async function refusing(code: number, isHealed: (recordings: number) => boolean) {
  const [mint, wallet] = [randomAddress(), randomAddress()];
  await addSchedule(store.query, { mint });
  const account = personalAccount({ mint, withdrawals: [underWay({ number: NUMBER, amount: 5n, wallet })] });
  const payable = [{ number: NUMBER, amount: 5n, wallet }];
  const execute = () => (isHealed(worker.recordings()) ? undefined : code);
  const worker = await workerOver({ database: store.query, mint, accounts: () => [account], execute, payable });
  return { ...worker, sends: () => worker.asked.length };
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

it('however many are refused, the layer is waited for once, and the token is free again for what is to be recorded', async () => {
  const [mint, wallet] = [randomAddress(), randomAddress()];
  await addSchedule(store.query, { mint });
  const payable = Array.from({ length: 160 }, (_, place) => ({ number: BigInt(place + 1), amount: 5n, wallet }));
  const accounts = payable.map((each) => personalAccount({ mint, withdrawals: [underWay(each)] }));
  const execute = () => PAYOUT_LEDGER_ERROR__NOT_COVERED;
  const worker = await workerOver({ database: store.query, mint, accounts: () => accounts, execute, payable });
  const began = worker.time.now();
  await worker.poll();
  expect(worker.time.now() - began).toBeLessThan(5_000);
  // Each of them was asked for, though.
  expect(new Set(worker.asked.map(({ personal }) => personal)).size).toBe(payable.length);
});

it('paid ones that the layer does not clear are left alone for longer and longer, and said in the log', async () => {
  const [mint, wallet] = [randomAddress(), randomAddress()];
  await addSchedule(store.query, { mint });
  const numbers = Array.from({ length: 40 }, (_, place) => BigInt(place + 1));
  let accounts = numbers.map((number) => personalAccount({ mint, withdrawals: [underWay({ number, wallet })] }));
  let code: number | undefined = PAYOUT_LEDGER_ERROR__WITHDRAWAL_UNDER_WAY;
  const execute = () => code;
  const over = { database: store.query, mint, accounts: () => accounts, execute, isPaid: () => true };
  const { asked, time, logged, counted, poll } = await workerOver(over);
  const began = time.now();
  await poll();
  // The layer was given the time to see them once for all.
  expect(time.now() - began).toBeLessThan(5_000);
  expect(asked.length).toBeGreaterThan(numbers.length);
  asked.length = 0;
  code = PAYOUT_LEDGER_ERROR__NOT_COVERED;
  for (let look = 0; look < 1_800; look++) {
    await time.advance(500);
    await poll();
  }
  expect(asked.length).toBeLessThan(10 * numbers.length);
  expect(asked.length).toBeGreaterThan(numbers.length);
  expect(logged()).toContain('paid withdrawals not cleared by the layer; tried again later');
  expect(logged()).toContain('NotCovered');
  expect(await counted('paid')).toBe(0);
  expect(await counted('uncleared')).toBe(numbers.length + asked.length);
  // Cleared at last, and told once.
  code = undefined;
  await time.advance(600_000);
  await poll();
  accounts = [];
  await poll();
  expect(await counted('paid')).toBe(numbers.length);
});
