import type { Payee } from '@payouts/client';
import { changesText, compareLists, percentOf } from '@payouts/payroll';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';

let people: Address[];
beforeAll(async () => {
  people = (await Promise.all(Array.from({ length: 6 }, () => generateKeyPairSigner()))).map(({ address }) => address);
});

const payee = (person: number, amount: bigint, delivery?: Payee['delivery']): Payee => ({
  recipient: people[person] as Address,
  amount,
  ...(delivery && { delivery }),
});

it('says what a list changes of the last one', () => {
  const before = [payee(0, 1_000n), payee(1, 1_000n), payee(2, 1_000n), payee(3, 50n), payee(4, 7n)];
  const after = [payee(4, 7n, 'wallet'), payee(3, 50n), payee(0, 1_400n), payee(1, 900n), payee(5, 1n)];
  const changes = compareLists(before, after);
  expect(changesText(changes)).toBe('1 raise of 40 %, 1 cut of 10 %, 1 newcomer, 1 leaver, 1 paid elsewhere');
  expect(changes).toMatchObject({
    added: [{ recipient: people[5], amount: 1n }],
    removed: [{ recipient: people[2], amount: 1_000n }],
    redirected: [people[4]],
    unchanged: 1,
  });
});

it('adds up several entries of one recipient', () => {
  const split = [payee(0, 400n), payee(0, 600n)];
  expect(changesText(compareLists([payee(0, 1_000n)], split))).toBe('nothing changes');
  expect(changesText(compareLists(split, [payee(0, 500n)]))).toBe('1 cut of 50 %');
});

it('gives the range of several changes', () => {
  const before = [payee(0, 100n), payee(1, 100n), payee(2, 100n)];
  const after = [payee(0, 103n), payee(1, 140n), payee(2, 120n)];
  expect(changesText(compareLists(before, after))).toBe('3 raises of 3 to 40 %');
});

const named = (...called: readonly (readonly [number, string])[]) =>
  new Map(called.map(([person, name]) => [people[person] as Address, name] as const));

it('takes whoever has another address for one person, by their name', () => {
  const before = [payee(0, 1_000n), payee(1, 500n), payee(2, 50n)];
  const after = [payee(3, 1_000n), payee(4, 600n, 'wallet'), payee(2, 50n)];
  const names = named([0, 'Ada Example'], [3, ' Ada  Example'], [1, 'Bjo\u0308rn'], [4, 'Bj\u00f6rn'], [2, 'Cleo']);
  const changes = compareLists(before, after, names);
  expect(changesText(changes)).toBe('2 addresses changed, 1 raise of 20 %, 1 paid elsewhere');
  expect(changes).toMatchObject({
    moved: [
      { from: people[0], recipient: people[3] },
      { from: people[1], recipient: people[4] },
    ],
    raised: [{ recipient: people[4], before: 500n, after: 600n }],
    added: [],
    removed: [],
    redirected: [people[4]],
    unchanged: 1,
  });
  expect(changesText(compareLists(before, after))).toBe('2 newcomers, 2 leavers');
});

it('tells nobody apart by a name that stands twice', () => {
  const ada = named([0, 'Ada'], [1, 'Ada'], [2, 'Ada']);
  const told = (before: readonly number[], after: readonly number[]) =>
    compareLists(
      before.map((person) => payee(person, 1n)),
      after.map((person) => payee(person, 1n)),
      ada,
    ).moved;
  expect(told([0], [1])).toHaveLength(1);
  for (const [before, after] of [
    [[0, 1], [2]],
    [[0], [1, 2]],
    [[0], [0, 1]],
    [
      [0, 1],
      [1, 2],
    ],
  ] as const)
    expect(told(before, after)).toEqual([]);
});

const lists = fc.array(fc.tuple(fc.nat(5), fc.bigInt({ min: 1n, max: 10n ** 15n })), { maxLength: 12 });

it('loses nobody and no amount by names, and pairs a name only where it is one person’s in both lists', () => {
  const called = fc.array(fc.constantFrom('', 'Ada', 'Ben', 'Cleo'), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(lists, lists, called, (one, other, texts) => {
      const [before, after] = [one, other].map((list) => list.map(([person, amount]) => payee(person, amount)));
      const names = named(...texts.map((text, person) => [person, text] as const));
      const { moved, added, removed, raised, lowered } = compareLists(before as Payee[], after as Payee[], names);
      const having = (list: typeof one, name: string) =>
        new Set(list.flatMap(([who]) => (texts[who] === name ? [who] : [])));
      const expected = ['Ada', 'Ben', 'Cleo'].flatMap((name) => {
        const [past, now] = [[...having(one, name)], [...having(other, name)]];
        return past.length === 1 && now.length === 1 && past[0] !== now[0]
          ? [[people[past[0] as number], people[now[0] as number]]]
          : [];
      });
      expect(new Set(moved.map(({ from, recipient }) => `${from} ${recipient}`))).toEqual(
        new Set(expected.map((pair) => pair.join(' '))),
      );
      // What all of it comes to is the difference of the lists, however people are told apart.
      const sum = (amounts: readonly { readonly amount: bigint }[]) =>
        amounts.reduce((all, { amount }) => all + amount, 0n);
      const changed = [...raised, ...lowered].reduce((all, change) => all + change.after - change.before, 0n);
      expect(sum(added) - sum(removed) + changed).toBe(sum(after as Payee[]) - sum(before as Payee[]));
    }),
  );
});

it('counts every recipient once, and mirrors when the lists are exchanged', () => {
  fc.assert(
    fc.property(lists, lists, (one, other) => {
      const [before, after] = [one, other].map((list) => list.map(([person, amount]) => payee(person, amount)));
      const there = compareLists(before as Payee[], after as Payee[]);
      const back = compareLists(after as Payee[], before as Payee[]);
      const all = new Set([...one, ...other].map(([person]) => person)).size;
      const { added, removed, raised, lowered, unchanged } = there;
      expect(added.length + removed.length + raised.length + lowered.length + unchanged).toBe(all);
      expect(new Set(back.added)).toEqual(new Set(removed));
      expect(back.raised).toHaveLength(lowered.length);
      for (const change of raised) expect(percentOf(change)).toBeGreaterThanOrEqual(0);
    }),
  );
});
