import { MOMENTS, type Point, STAGES } from '@payouts/coordinator/testing';
import { Random } from '@payouts/testing/random';

/** The workflow's points, by stage. */
export const POINTS: readonly Point[] = STAGES.flatMap((stage) => MOMENTS.map((moment): Point => `${stage}:${moment}`));

/**
 * What dies at a point.
 * - `coordinator`: the only one, by kill -9, started again under its name
 * - `replica`: one of three, by kill -9; the others take its runs over
 * - `postgres`: the server as by a crash, started again
 * - `validator`: the execution layer by kill -9, started again
 */
export const KILLS = ['coordinator', 'replica', 'postgres', 'validator'] as const;
export type Kill = (typeof KILLS)[number];

/** A window that something dies in, with others of the same token beside it. All of it follows from seed, point and kill. */
export type Case = {
  readonly seed: number;
  readonly point: Point;
  readonly kill: Kill;
  /** Recipients of each schedule of the case; their windows come due together. */
  readonly recipients: readonly number[];
  /** Which of them is hit. */
  readonly hit: number;
  /** At which of its passings of the point, from 1: the second claim transaction, or the settlement after the layer's commit. */
  readonly passing: number;
  readonly random: Random;
};

/** What the cases of a round have in common, since they are hit by one and the same death. */
export type Death = {
  /** Milliseconds until what was killed is started again. */
  readonly delayMs: number;
  /** Where the coordinator lives on: whether the runs go on before what was killed is back. */
  readonly goesOn: 'meanwhile' | 'afterwards';
};

const LONGEST_DELAY_MS = 1_500;
/** Recipients that one claim transaction pays at most here: more need a second one. */
export const ONE_TRANSACTION = 62;

const numberOf = (seed: number, ...more: readonly number[]): number =>
  more.reduce((mixed, part) => Math.imul(mixed ^ (part + 1), 0x9e3779b1) >>> 0, seed >>> 0);

export function caseOf(seed: number, point: Point, kill: Kill): Case {
  const random = new Random(numberOf(seed, POINTS.indexOf(point), KILLS.indexOf(kill)));
  const recipients = Array.from({ length: random.between(1, 3) }, () =>
    random.weighted([
      [1, 1],
      [4, random.between(2, 12)],
      [2, random.between(ONE_TRANSACTION + 1, 150)],
    ]),
  );
  const hit = random.below(recipients.length);
  const passings = (): number => {
    if (point.endsWith('after-checkpoint')) return 1;
    if (point.startsWith('commit')) return 2;
    return point.startsWith('claim') && (recipients[hit] as number) > ONE_TRANSACTION ? 2 : 1;
  };
  return { seed, point, kill, recipients, hit, passing: random.between(1, passings()), random };
}

export function deathOf(seed: number, kill: Kill): Death {
  const random = new Random(numberOf(seed, KILLS.indexOf(kill)));
  return { delayMs: random.below(LONGEST_DELAY_MS), goesOn: random.pick(['meanwhile', 'afterwards']) };
}
