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

const lists = fc.array(fc.tuple(fc.nat(5), fc.bigInt({ min: 1n, max: 10n ** 15n })), { maxLength: 12 });

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
