import { EXIT_LIMIT_SECONDS, lastRound, ROUND_SECONDS, roundBefore } from '@payouts/client';
import type { Address } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepDecided } from '../src/store/queries/rounds.ts';
import { partSizesOf, setPartSize } from '../src/withdrawals/partSizes.ts';
import { roundsView } from '../src/withdrawals/roundsView.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { randomAddress } from './support/promised.ts';
import { putRun } from './support/runs.ts';
import { useStore } from './support/stores.ts';

const DAY = 86_400n;
const NOW = 1_800_000_100n;
const ROUND = roundBefore(NOW);

const store = useStore();
let mint: Address;
beforeEach(() => {
  mint = randomAddress();
});

const view = (now = NOW) => roundsView(store.query, mint, now);
/** A schedule that pays each of so many people 4,000 a month. */
const monthly = async (due: bigint, recipients = 10, each = 4_000) => {
  const address = await addSchedule(store.query, { mint, due, recipients });
  const terms = { amount: String(each * recipients), unit: 'months-on-day', every: 1, day: 1 } as const;
  await changeSchedule(store.query, address, terms);
  return address;
};
const decided = (round: bigint, leaves: boolean, people: number) =>
  keepDecided(store.query, { mint, round, leaves, parts: people * 3, people });

describe('what anybody may know of a token’s rounds', () => {
  it('is nothing but the next ones where nobody is paid', async () => {
    expect(await view()).toEqual({
      ...{ size: undefined, nextSize: undefined, nextRound: ROUND + ROUND_SECONDS, latest: lastRound(NOW) },
      later: lastRound(NOW, EXIT_LIMIT_SECONDS),
      ...{ expected: { round: ROUND + ROUND_SECONDS, reason: 'nobody-else' }, recent: [], waiting: null },
      largest: undefined,
    });
  });

  it('says when what is asked for now leaves by the calendars, later windows of a schedule included', async () => {
    const soon = ROUND + ROUND_SECONDS + 60n;
    const address = await monthly(soon);
    expect((await view()).expected).toEqual({ round: ROUND + 2n * ROUND_SECONDS, reason: 'nobody-else' });
    await changeSchedule(store.query, address, { unit: 'seconds', every: 43_200, day: 0 });
    expect((await view()).expected).toEqual({ round: lastRound(NOW), reason: 'limit' });
    await changeSchedule(store.query, address, { executions_left: 1 });
    expect((await view()).expected).toEqual({ round: ROUND + 2n * ROUND_SECONDS, reason: 'nobody-else' });
    await changeSchedule(store.query, address, { status: 'paused' });
    expect((await view()).expected.round).toBe(ROUND + ROUND_SECONDS);
  });

  it('names the round after the windows that pay most people', async () => {
    await monthly(NOW + 9n * DAY, 20);
    const most = NOW + 20n * DAY;
    await Promise.all([monthly(most, 15), monthly(most + 60n, 15)]);
    expect((await view()).largest).toEqual({ round: roundBefore(most) + ROUND_SECONDS, recipients: 30 });
  });

  it('counts people by steps alone, of the last six rounds in which parts left', async () => {
    for (let back = 8n; back >= 1n; back -= 1n) await decided(ROUND - back * ROUND_SECONDS, true, 25 + Number(back));
    await decided(ROUND, false, 41);
    const { recent, waiting } = await view();
    expect(recent.map(({ round }) => (ROUND - round) / ROUND_SECONDS)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    expect(recent.map(({ people }) => people)).toEqual([20, 20, 20, 20, 30, 30]);
    expect(recent[0]?.parts).toBe(78);
    expect(waiting).toEqual({ people: 30 });
    // That was so when the last round had passed; of the next one nothing is known yet.
    expect((await view(NOW + ROUND_SECONDS)).waiting).toBeNull();
  });
});

/** What a settled window of a schedule has paid, so many days ago. */
const settled = async (schedule: string, window: number, paid: number, daysAgo = 10) => {
  const finished = Number((NOW - BigInt(daysAgo) * DAY) * 1_000n);
  const id = await putRun(store.query, { schedule, window, state: 'settled', finished });
  await store.query
    .updateTable('execution_runs')
    .set({ paid_amount: String(paid) })
    .where('id', '=', id)
    .execute();
};
const millis = (seconds: bigint) => Number(seconds * 1_000n);
const setSize = (size: bigint, now = NOW) => setPartSize(store.query, mint, size, millis(now));
const sizesOf = (now = NOW) => partSizesOf(store.query, mint, millis(now));

describe('the size of a token’s parts', () => {
  it('is what an operator sets, at once while nobody has left in another', async () => {
    await monthly(NOW + DAY);
    expect(await view()).toMatchObject({ size: undefined, nextSize: undefined });
    await setSize(5_000n);
    // A slip of the pen is put right.
    expect(await setSize(500n, NOW + 1n)).toEqual({ size: 500n, from: NOW + 1n });
    expect(await view(NOW + 1n)).toMatchObject({ size: 500n, nextSize: undefined });
  });

  it('is announced a month before it changes, half a year after the last change at the earliest', async () => {
    await setSize(1_000n);
    await decided(ROUND + ROUND_SECONDS, true, 30);
    const soon = { size: 2_000n, from: NOW + 182n * DAY };
    expect(await setSize(2_000n, NOW + 100n * DAY)).toEqual(soon);
    expect(await view(NOW + 100n * DAY)).toMatchObject({ size: 1_000n, nextSize: soon });
    const late = { size: 500n, from: NOW + 190n * DAY };
    expect(await setSize(500n, NOW + 160n * DAY)).toEqual(late);
    expect(await view(NOW + 189n * DAY)).toMatchObject({ size: 1_000n, nextSize: late });
    expect(await view(late.from)).toMatchObject({ size: 500n, nextSize: undefined });
    expect(await sizesOf(late.from)).toMatchObject({ size: late, next: undefined });
  });

  it('stays if what is announced is taken back', async () => {
    await setSize(1_000n);
    await decided(ROUND + ROUND_SECONDS, true, 30);
    await setSize(2_000n, NOW + DAY);
    expect(await setSize(1_000n, NOW + 2n * DAY)).toEqual({ size: 1_000n, from: NOW });
    expect(await view(NOW + 2n * DAY)).toMatchObject({ size: 1_000n, nextSize: undefined });
  });

  it('is not changed by who looks, nor by what schedules promise', async () => {
    const before = await view();
    await monthly(NOW + DAY);
    await Promise.all(Array.from({ length: 5 }, () => view()));
    expect(before.size).toBeUndefined();
    expect((await view()).size).toBeUndefined();
    expect(await store.query.selectFrom('exit_sizes').selectAll().where('mint', '=', mint).execute()).toEqual([]);
  });

  it('is proposed by what schedules have paid three times in three months, and by nothing that is promised', async () => {
    expect((await sizesOf()).proposed).toEqual({ size: 0n, schedules: 0 });
    const [address, other] = [await monthly(NOW + DAY), await monthly(NOW + DAY, 10, 90_000)];
    for (const window of [0, 1]) await settled(address, window, 40_000);
    await settled(other, 0, 900_000, 100);
    for (const window of [1, 2]) await settled(other, window, 900_000);
    expect((await sizesOf()).proposed).toEqual({ size: 0n, schedules: 0 });
    await settled(address, 2, 40_000);
    expect((await sizesOf()).proposed).toEqual({ size: 1_000n, schedules: 1 });
  });
});

describe('a hostile employer', () => {
  /** Promises of next to nothing to a million people each, which fall due twice a day. */
  async function promiseDust(): Promise<string[]> {
    const addresses = [];
    for (let each = 0; each < 5; each += 1) {
      const address = await monthly(NOW + 60n + BigInt(each), 1_000_000, 0);
      const often = { amount: '999', unit: 'seconds', every: 43_200, day: 0, executions_left: 1_000 } as const;
      await changeSchedule(store.query, address, often);
      addresses.push(address);
    }
    return addresses;
  }

  it('moves nothing of what people are told by promising next to nothing to a million', async () => {
    await monthly(NOW + 9n * DAY, 40);
    await setSize(1_000n);
    const before = await view();
    expect(before).toMatchObject({ expected: { reason: 'nobody-else' }, largest: { recipients: 40 } });
    await promiseDust();
    expect(await view()).toEqual(before);
  });

  it('moves no proposal by paying it to a million either', async () => {
    const address = await monthly(NOW + DAY);
    for (const window of [0, 1, 2]) await settled(address, window, 40_000);
    const { proposed } = await sizesOf();
    for (const dust of await promiseDust()) {
      for (const window of [0, 1, 2]) await settled(dust, window, 999);
    }
    expect((await sizesOf()).proposed).toEqual({ size: proposed.size, schedules: 6 });
  });

  it('is counted as many people as could have a part of what it promises', async () => {
    await setSize(1_000n);
    const address = await monthly(NOW + 60n, 1_000_000, 0);
    await changeSchedule(store.query, address, { amount: '7999' });
    expect((await view()).largest?.recipients).toBe(7);
  });
});
