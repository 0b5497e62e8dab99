import { createHash, randomInt } from 'node:crypto';
import { type Payee, prepareList, SALT_BYTES } from '@payouts/client';
import { type FreePlaces, pageOfPlace, takePlaces } from '@payouts/coordinator/testing';
import { somePayees } from '@payouts/testing/wallets';
import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import { likelihood } from './spy/chance.ts';

/** Blind guesses reach what was reached more seldom than this, or it was no blind guess. */
const SIGNIFICANT = 0.001;
/** People of employers whose lists are small. */
const SMALL = [60, 90, 120, 150];
/** Of one whose list fills pages. */
const LARGE = 800;

type Placed = { readonly employer: number; readonly index: number; readonly place: number };
type Take = (free: FreePlaces, count: number) => number[];
/** What is guessed of whatever there is, and how likely each guess is right if it is blind. */
type Guesses = readonly { readonly isRight: boolean; readonly chance: number }[];

/** Whether the guesses are better than blind ones: five times, for luck doesn't come as often, though it comes to all of a list's blocks at once. */
function isLearned(guess: () => Guesses): boolean {
  const isBetter = () => {
    const all = guess();
    const right = all.filter(({ isRight }) => isRight).length;
    return (
      likelihood(
        all.map(({ chance }) => chance),
        right,
      ) < SIGNIFICANT
    );
  };
  return Array.from({ length: 5 }, isBetter).every(Boolean);
}

const drawn: Take = (free, count) => takePlaces(free, count, randomInt);
/** A leak: places one after the other. */
const inOrder: Take = (free, count) => drawn(free, count).sort((one, other) => one - other);

/** Gives employers' lists places, one after the other, in the order of the lists. */
function placed(sizes: readonly number[], take: Take): Placed[] {
  const free: FreePlaces = { nextPage: 0, places: [] };
  return sizes.flatMap((count, employer) =>
    take(free, count).map((place, index): Placed => ({ employer, index, place })),
  );
}

/** Whoever comes next in the same page is of the same employer. */
function byNeighbour(all: readonly Placed[]): Guesses {
  const sorted = [...all].sort((one, other) => one.place - other.place);
  return sorted.flatMap((one, at) => {
    const next = sorted[at + 1];
    if (next === undefined || at % 2 === 1 || pageOfPlace(next.place) !== pageOfPlace(one.place)) return [];
    const same = all.filter(({ employer }) => employer === one.employer).length;
    return [{ isRight: next.employer === one.employer, chance: (same - 1) / (all.length - 1) }];
  });
}

/** Of two of one list, whose slot comes first in a page stands first in the list. */
function byOrder(all: readonly Placed[]): Guesses {
  const sorted = [...all].sort((one, other) => one.place - other.place);
  return sorted.flatMap((one, at) => {
    const next = sorted[at + 1];
    const isPair = at % 2 === 0 && next !== undefined && next.employer === one.employer;
    return isPair ? [{ isRight: one.index < next.index, chance: 0.5 }] : [];
  });
}

const saltFor = (recipient: Address) =>
  new Uint8Array(createHash('sha256').update(recipient).digest().subarray(0, SALT_BYTES));
const indexesIn = (payees: readonly Payee[]) => {
  const { recipients } = prepareList(payees, { saltFor });
  return new Map(recipients.map(({ recipient, index }) => [recipient, index]));
};

it('slots of small lists say nothing of employers, and those of no list of an order', () => {
  expect(isLearned(() => byNeighbour(placed(SMALL, drawn)))).toBe(false);
  expect(isLearned(() => byOrder(placed(SMALL, drawn)))).toBe(false);
  expect(isLearned(() => byOrder(placed([LARGE], drawn)))).toBe(false);
});

it('are found to say it where they are given in order', () => {
  const oneByOne: Take = (free, count) => {
    const places = Array.from({ length: count }, (_, at) => free.nextPage + at);
    free.nextPage += count;
    return places;
  };
  expect(isLearned(() => byNeighbour(placed(SMALL, oneByOne)))).toBe(true);
  expect(isLearned(() => byOrder(placed([LARGE], inOrder)))).toBe(true);
});

it('an index in one list says nothing of the same person in the next, nor of who stands before whom', async () => {
  for (const size of [SMALL[1] as number, LARGE]) {
    const payees = await somePayees(size, 1n);
    const again = (guess: (former: ReadonlyMap<Address, number>, later: ReadonlyMap<Address, number>) => Guesses) =>
      isLearned(() => guess(indexesIn(payees), indexesIn(payees)));
    expect(again(byIndex)).toBe(false);
    expect(again(byFormerOrder)).toBe(false);
    // It would be found if lists were as the payroll has them.
    const ordered = new Map(payees.map(({ recipient }, index) => [recipient as Address, index]));
    expect(isLearned(() => byFormerOrder(ordered, ordered))).toBe(true);
    expect(isLearned(() => byIndex(ordered, ordered))).toBe(true);
  }
});

/** Whoever stood at an index stands there again. */
function byIndex(former: ReadonlyMap<Address, number>, later: ReadonlyMap<Address, number>): Guesses {
  return [...former].map(([who, index]) => ({ isRight: later.get(who) === index, chance: 1 / former.size }));
}

/** Who stood before another one does so again: of pairs that have nobody in common. */
function byFormerOrder(former: ReadonlyMap<Address, number>, later: ReadonlyMap<Address, number>): Guesses {
  const sorted = [...former].sort(([, one], [, other]) => one - other).map(([who]) => who);
  return sorted.flatMap((one, at) => {
    const next = sorted[at + 1];
    if (at % 2 === 1 || next === undefined) return [];
    return [{ isRight: (later.get(one) ?? 0) < (later.get(next) ?? 0), chance: 0.5 }];
  });
}
