import { lastRound, ROUND_SECONDS, roundBefore } from '@payouts/client';
import type { Address } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepDecided } from '../src/store/queries/rounds.ts';
import { roundsView } from '../src/withdrawals/roundsView.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { randomAddress } from './support/promised.ts';
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

describe('the size of a token’s parts', () => {
  it('stays as it was kept until half a year has passed, and is announced a month before it changes', async () => {
    const address = await monthly(NOW + DAY);
    expect(await view()).toMatchObject({ size: 1_000n, nextSize: undefined });
    await changeSchedule(store.query, address, { amount: '90000', next_execution: String(NOW + 400n * DAY) });
    expect(await view(NOW + 100n * DAY)).toMatchObject({ size: 1_000n, nextSize: undefined });
    const announced = NOW + 160n * DAY;
    const next = { size: 2_000n, from: announced + 30n * DAY };
    expect(await view(announced)).toMatchObject({ size: 1_000n, nextSize: next });
    expect(await view(announced + 29n * DAY)).toMatchObject({ size: 1_000n, nextSize: next });
    expect(await view(announced + 30n * DAY)).toMatchObject({ size: 2_000n, nextSize: undefined });
  });

  it('is one for all who ask at once', async () => {
    await monthly(NOW + DAY);
    const sizes = await Promise.all(Array.from({ length: 5 }, () => view()));
    expect(new Set(sizes.map(({ size }) => size))).toEqual(new Set([1_000n]));
  });

  it('is that of a schedule whose last window was paid this month, and of none that ended long ago', async () => {
    const address = await monthly(NOW - DAY);
    await changeSchedule(store.query, address, { status: 'completed', executions_left: 0, window_number: 1 });
    expect((await view()).size).toBe(1_000n);
    mint = randomAddress();
    await changeSchedule(store.query, await monthly(NOW - 40n * DAY), { status: 'completed' });
    expect((await view()).size).toBeUndefined();
  });
});
