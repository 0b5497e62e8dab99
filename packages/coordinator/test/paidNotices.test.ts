import { systemTime } from '@payouts/client';
import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import { RunError } from '../src/domain/errors.ts';
import { DecryptionFailed } from '../src/store/crypto/cipher.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { WithdrawalHistory } from '../src/withdrawals/history.ts';
import { isWithdrawal } from '../src/withdrawals/keptRecord.ts';
import { WithdrawalBook } from '../src/withdrawals/withdrawalBook.ts';
import { addSchedule } from './support/addSchedule.ts';
import { silentLog } from './support/log.ts';
import { personalAccount, underWay } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';
import { workerOver } from './support/withdrawalWorker.ts';

const store = useStore();
const payloadKeys = localPayloadKeys(new Uint8Array(32).fill(3));

/** A worker of a paid withdrawal that the layer forgets once it is cleared; `fails`: what telling its recipient throws, as long as it is there. */
async function paidOne() {
  const [mint, recipient] = [randomAddress(), randomAddress()];
  await addSchedule(store.query, { mint });
  const withdrawal = underWay({ number: 7n, amount: 5n });
  let accounts = [personalAccount({ mint, recipient, withdrawals: [withdrawal] })];
  const told: Address[] = [];
  const state = { fails: undefined as Error | undefined, told };
  const book = new WithdrawalBook({ database: store.query, payloadKeys, time: systemTime });
  /** As a process that has just begun. */
  const start = async () => {
    const tell = async (whom: Address) => {
      if (state.fails !== undefined) throw state.fails;
      return told.push(whom);
    };
    const { signal } = new AbortController();
    const history = new WithdrawalHistory({ book, notices: { tell }, time: systemTime, log: silentLog, signal });
    const execute = () => {
      accounts = [];
      return undefined;
    };
    const over = { database: store.query, mint, accounts: () => accounts, execute, isPaid: () => true, history };
    const { poll } = await workerOver(over);
    const look = async () => {
      const asked = await poll();
      await history.idle();
      return asked.length;
    };
    return { look, poll };
  };
  const kept = () => book.of(recipient, Date.now());
  return { state, start, kept, recipient };
}

it('a recipient is told of what has arrived before the layer forgets it, however often that fails', async () => {
  const { state, start, kept, recipient } = await paidOne();
  const { look } = await start();
  state.fails = new RunError('key-service-unavailable', 'The key service does not answer.');
  for (let round = 0; round < 3; round++) expect(await look()).toBe(0);
  state.fails = undefined;
  expect(await look()).toBe(0);
  expect(state.told).toEqual([recipient]);
  expect(await look()).toBe(1);
  expect(await look()).toBe(0);
  expect(state.told).toEqual([recipient]);
  expect((await kept()).map(({ record }) => record.state)).toEqual(['paid']);
});

it('and is told once by a process that goes on where another was killed', async () => {
  const { state, start, recipient } = await paidOne();
  const first = await start();
  expect(await first.look()).toBe(0);
  const second = await start();
  expect(await second.look()).toBe(0);
  expect(await second.look()).toBe(1);
  expect(state.told).toEqual([recipient]);
});

it('nothing that will not pass keeps it in the layer', async () => {
  const { state, start } = await paidOne();
  const { look } = await start();
  state.fails = new DecryptionFailed('The content was encrypted with another key.');
  expect(await look()).toBe(0);
  expect(await look()).toBe(1);
});

it('what two processes have kept at the same moment is shown once, as the one that got further', async () => {
  const book = new WithdrawalBook({ database: store.query, payloadKeys, time: systemTime });
  const [recipient, balance, mint, wallet] = Array.from({ length: 4 }, randomAddress) as [
    Address,
    Address,
    Address,
    Address,
  ];
  const now = Date.now();
  const one = { recipient, balance, mint, wallet, number: 7n, amount: 5n, seenAt: now, issuedAt: null, paidAt: null };
  await book.add({ ...one, state: 'requested' });
  await book.add({ ...one, state: 'paid', paidAt: now });
  await book.add({ ...one, state: 'issued', issuedAt: now });
  await book.add({ ...one, number: 8n, state: 'requested' });
  const shown = (await book.of(recipient, now)).map(
    ({ record }) => isWithdrawal(record) && [record.number, record.state],
  );
  expect(shown).toEqual([
    [7n, 'paid'],
    [8n, 'requested'],
  ]);
});
