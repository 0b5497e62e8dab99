/** How many people were in a round is said by these alone, so that nobody learns of a single one by comparing. */
export const CROWD_STEPS = [10, 20, 30, 100, 300, 1_000] as const;
export type CrowdStep = 0 | (typeof CROWD_STEPS)[number];
/** People below which nobody can hide. */
export const LEAST_CROWD = 20;

/** The largest step that so many people reach; 0: none. */
export const atLeastPeople = (people: number): CrowdStep => CROWD_STEPS.findLast((step) => step <= people) ?? 0;

/** What is known of a token's rounds; people by steps. */
export type KnownRounds = {
  /** Those in which parts left last. */
  readonly recent: readonly { readonly parts: number; readonly people: CrowdStep }[];
  /** Who waited when the last round had passed; null: it left, or nobody waited. */
  readonly waiting: { readonly people: CrowdStep } | null;
};

/** Among whom somebody leaves, and how often whoever knows what they are paid finds a wallet of theirs: 1 time in so many. */
export type Crowd = { readonly people: number; readonly oneIn: number };

/** The one in the middle, the lower one of two. */
const middle = (figures: readonly number[]): number =>
  [...figures].sort((one, other) => one - other)[Math.ceil(figures.length / 2) - 1] ?? 0;

/** The crowd that somebody with so many parts can expect: as many as in recent rounds, or those who wait already if they are more. */
export function crowdOf({ recent, waiting }: KnownRounds, ownParts: number): Crowd {
  const people = Math.max(middle(recent.map((round) => round.people)), waiting?.people ?? 0);
  const parts = Math.max(middle(recent.map((round) => round.parts)), people);
  return { people, oneIn: Math.max(1, Math.floor(parts / Math.max(1, ownParts))) };
}
