import { partSize, steadyParts } from '@payouts/client';
import { mean } from './figures.ts';
import { publicPayOf, type World } from './world.ts';

/** How often the best guess is right about wallets that get the same on the first of each month; shares of one. */
export type Steady = {
  /** One wallet for all: whose it is, on average and of the person worst placed. */
  readonly one: number;
  readonly worst: number;
  /** A part for each of some fixed wallets: whose one is, and which is somebody's. */
  readonly fixed: number;
  readonly which: number;
  /** Of what people are paid, how much gets out. */
  readonly out: number;
};

/**
 * What an observer knows who sees the same wallets get the same on the first of each month, if all the first token's people whose habit is the
 * default did so. All of them leave in one round: six months say what one says. A wallet for all tells a number of parts, so it is one of those
 * who take as many. Of fixed wallets, each gets one part, as everybody's: own ÷ all.
 */
export function steadyOf(world: World): Steady {
  const size = partSize(publicPayOf(world, 0));
  const people = world.people.filter(({ habit }) => habit === 'rounds');
  const paid = people.map(({ jobs }) =>
    jobs.reduce((sum, { employer, pay }) => sum + leastOfMonth(world, employer, pay), 0n),
  );
  const taken = paid.map((each) => steadyParts(Number(each / size))).filter((parts) => parts > 0);
  const same = new Map<number, number>();
  for (const parts of taken) same.set(parts, (same.get(parts) ?? 0) + 1);
  const all = taken.reduce((sum, parts) => sum + parts, 0);
  return {
    one: mean(taken.map((parts) => 1 / (same.get(parts) as number))),
    worst: 1 / Math.min(...same.values()),
    fixed: Math.max(...taken) / all,
    which: mean(taken) / all,
    out: (all * Number(size)) / Number(paid.reduce((sum, each) => sum + each, 0n)),
  };
}

/** What the first token brings somebody in every month: of windows by weeks some months have one more. */
function leastOfMonth({ employers }: World, place: number, pay: bigint): bigint {
  const employer = employers[place];
  return employer?.token === 0 ? pay * BigInt(Math.floor(employer.yearly / 12)) : 0n;
}
