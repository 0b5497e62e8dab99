import type { Address } from '@solana/kit';
import { generateKeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { heldOver, heldSentences, NOBODY_HELD, placesOf } from '../src/index.ts';

let people: Address[];
beforeAll(async () => {
  people = (await Promise.all(Array.from({ length: 5 }, generateKeyPairSigner))).map(({ address }) => address);
});

const listOf = (...who: readonly number[]) =>
  who.map((person, index) => ({ recipient: people[person] as Address, index }));
const holding = (...places: readonly number[]) => ({
  held: [...places, ...Array.from({ length: 32 - places.length }, () => 0)],
  heldCount: places.length,
});
const UNMOVED = { moved: [] };

it('finds who is held back in the next list, wherever they stand in it, and under a new address', () => {
  const present = listOf(3, 1, 0, 1, 2);
  const moved = [{ from: people[2] as Address, recipient: people[4] as Address }];
  const over = heldOver(holding(1, 4), present, listOf(4, 1, 0), { moved });
  expect(over).toEqual({ staying: [people[1], people[4]], leaving: 0 });
  expect(heldOver(holding(1, 0), present, listOf(0, 1, 1), UNMOVED)).toEqual({ staying: [people[1]], leaving: 1 });
  expect(heldOver(holding(), undefined, listOf(0), UNMOVED)).toBe(NOBODY_HELD);
  // Without the list in force nobody knows whose places these are.
  expect(heldOver(holding(1), undefined, listOf(0), UNMOVED)).toBeUndefined();
});

it('holds back all their lines, in order, as far as there is room', () => {
  expect(placesOf([people[1] as Address], listOf(1, 0, 1).reverse())).toEqual([0, 2]);
  expect(placesOf([], listOf(1, 0, 1))).toEqual([]);
  const many = Array.from({ length: 33 }, (_, index) => ({ recipient: people[0] as Address, index }));
  expect(() => placesOf([people[0] as Address], many)).toThrow(expect.objectContaining({ code: 'too-many-held' }));
});

it('says what becomes of them', () => {
  const [one, two] = people as [Address, Address];
  expect(heldSentences({ staying: [one], leaving: 2 }, 3)).toEqual([
    '1 person who is held back stays so, until you release them.',
    '2 people who are held back are not in the list.',
  ]);
  expect(heldSentences({ staying: [one, two], leaving: 0 }, 2)).toEqual([
    '2 people who are held back stay so, until you release them.',
  ]);
  expect(heldSentences(NOBODY_HELD, 0)).toEqual([]);
  expect(heldSentences(NOBODY_HELD, 1)).toEqual([
    'Whoever is held back now is paid by the next list again, if they are in it.',
  ]);
});
