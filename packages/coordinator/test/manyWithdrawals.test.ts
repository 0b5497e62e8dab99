import { describe, expect, it } from 'vitest';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';
import { type Asking, tokenOfMany } from './support/tokenOfMany.ts';

const store = useStore('PGlite');
/** As many as a recorded tree holds here. */
const MOST = 16;
const MINUTE_MS = 60_000;

type Token = Awaited<ReturnType<typeof tokenOfMany>>;

/** Looks a minute for so many minutes. */
const minutes = (token: Token, count: number) => token.look(count, MINUTE_MS);
const arePaid = (token: Token, asked: readonly Asking[]) => asked.every((each) => token.isPaid(each));

describe('where more withdrawals are under way than a recorded tree holds', () => {
  it('one that was never tried is recorded and issued at once, though those that can’t be paid fill the tree in two halves out of phase', async () => {
    const token = await tokenOfMany(store.query, MOST);
    token.ask(MOST / 2, false);
    await minutes(token, 30);
    token.ask(MOST / 2, false);
    await minutes(token, 40);
    const others = token.ask(5, true);
    const [last] = token.ask(1, true) as [Asking];
    await token.look(3);
    expect(arePaid(token, [...others, last])).toBe(true);
    expect(token.tries(last.number)).toBe(1);
    expect(token.fake.settlements).toEqual([]);
  });

  it('those that were never tried wait for each other alone, those that were asked for first in front', async () => {
    const token = await tokenOfMany(store.query, MOST);
    token.ask(3 * MOST, false);
    const [last] = token.ask(1, true) as [Asking];
    await token.look(3);
    expect(token.issued).toHaveLength(3 * MOST);
    expect(new Set(token.issued).size).toBe(3 * MOST);
    await token.look(1);
    expect(arePaid(token, [last])).toBe(true);
    // Another process knows by the layer which were issued.
    token.restart();
    const after = token.ask(5, true);
    await token.look(1);
    expect(arePaid(token, after)).toBe(true);
  });

  it('what can never be paid costs no more for being more, and has its turn', async () => {
    const token = await tokenOfMany(store.query, MOST);
    const asked = token.ask(4 * MOST, false);
    await minutes(token, 40);
    const [issues, recordings] = [token.issued.length, token.fake.pool.sequence];
    const drawn = (times: number) => token.look(times, 5 * MINUTE_MS);
    await drawn(12);
    // An eighth of the tree every five minutes, and one recording for it: less than once an hour for each of them.
    expect(token.issued.length - issues).toBeLessThanOrEqual((12 * MOST) / 8);
    expect(token.issued.length - issues).toBeGreaterThan((8 * MOST) / 8);
    expect(token.fake.pool.sequence - recordings).toBeLessThanOrEqual(12n);
    // Whoever can be paid after all is, in time.
    const some = asked.slice(0, MOST);
    for (const each of some) each.isPayable = true;
    const paid = () => some.filter((each) => token.isPaid(each)).length;
    // By lot: of so many draws one in a billion gives places to no more than half of them.
    for (let draws = 0; draws < 120 && paid() <= MOST / 2; draws++) await drawn(1);
    expect(paid()).toBeGreaterThan(MOST / 2);
  });

  it('what was often tried is in nobody’s way for being sent to another wallet', async () => {
    const token = await tokenOfMany(store.query, MOST);
    const asked = token.ask(2 * MOST, false);
    await minutes(token, 30);
    for (const each of asked) token.redirect(each);
    const [last] = token.ask(1, true) as [Asking];
    await token.look(1);
    expect(arePaid(token, [last])).toBe(true);
  });
});

describe('a withdrawal below the least for which a token account is opened', () => {
  it('is neither recorded nor issued before its wallet has one of its own', async () => {
    const token = await tokenOfMany(store.query, MOST);
    token.fake.pool.leastOpening = 2n;
    const [known, stolen, ...others] = token.ask(MOST / 2, true) as [Asking, Asking, ...Asking[]];
    await minutes(token, 10);
    expect(token.fake.pool.sequence).toBe(0n);
    const [late] = token.ask(1, true) as [Asking];
    await Promise.all([token.openAccount(known), token.openAccount(stolen, randomAddress()), token.openAccount(late)]);
    await token.look(1);
    // Not looked at again for what arrives, but once a minute.
    expect(token.issued).toEqual([late.number]);
    await minutes(token, 1);
    expect(token.issued).toEqual([late.number, known.number]);
    expect(arePaid(token, [late, known])).toBe(true);
    token.fake.pool.leastOpening = 1n;
    await minutes(token, 1);
    expect(arePaid(token, [stolen, ...others])).toBe(true);
  });

  it('keeps nobody else waiting, however many there are', async () => {
    const token = await tokenOfMany(store.query, MOST);
    token.fake.pool.leastOpening = 2n;
    token.ask(4 * MOST, false);
    await minutes(token, 5);
    const [late] = token.ask(1, true) as [Asking];
    await token.openAccount(late);
    await minutes(token, 1);
    expect(token.issued).toEqual([late.number]);
  });
});
