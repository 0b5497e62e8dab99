import { LRUCache } from 'lru-cache';

/** Milliseconds: the layer issues a withdrawal again after 30 s at the earliest. */
const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;
/** Milliseconds until a withdrawal is tried again that the layer says is under way. */
const UNDER_WAY_MS = 5_000;
/** Milliseconds until one is tried again that the layer refuses: twice as long after each refusal. */
const REFUSED_MS = 5_000;
const LONGEST_REFUSED_MS = 600_000;
/** Withdrawals remembered; of more that fail, the oldest are tried more often than they need be. */
const MOST = 10_000;

/** A withdrawal, and the wallet it goes to now: redirected, it is another try. Private. */
export type Issue = {
  readonly personal: { readonly mint: string };
  readonly number: bigint;
  readonly wallet: string;
};

/** How often one was issued, when last and when again, unix milliseconds; how often it was refused since, and whether it was issued early. */
type Tries = {
  readonly count: number;
  /** How often it was refused since it was issued last. */
  readonly refusals: number;
  readonly issuedAt: number;
  readonly nextAt: number;
  readonly wasEarly: boolean;
};

const NEVER = Number.NEGATIVE_INFINITY;
const NONE: Tries = { count: 0, refusals: 0, issuedAt: NEVER, nextAt: NEVER, wasEarly: false };

const keyOf = ({ personal, number, wallet }: Issue) => `${personal.mint}:${number}:${wallet}`;

/**
 * When a withdrawal that did not arrive is to be issued again: each time after twice the wait, at most an hour. Once each, it is issued
 * early when another of its token has arrived since: it may have failed for a reason that is gone, such as a ledger that was away.
 */
export class IssueBackoff {
  readonly #tries = new LRUCache<string, Tries>({ max: MOST });
  /** When a withdrawal of a token arrived last, unix milliseconds. */
  readonly #arrivals = new Map<string, number>();

  /** Whether it may be issued now, unix milliseconds. */
  isDue(issue: Issue, now: number): boolean {
    const { issuedAt, nextAt, wasEarly } = this.#of(issue);
    if (now >= nextAt) return true;
    const arrival = this.#arrivals.get(issue.personal.mint) ?? Number.NEGATIVE_INFINITY;
    return !wasEarly && this.#of(issue).refusals === 0 && arrival > issuedAt && now >= issuedAt + FIRST_MS;
  }

  /** It is issued; returns how often it has been, this time included. */
  issued(issue: Issue, now: number): number {
    const { count: before, nextAt, wasEarly } = this.#of(issue);
    const count = before + 1;
    const wait = Math.min(FIRST_MS * 2 ** before, LONGEST_MS);
    const isEarly = wasEarly || now < nextAt;
    this.#keep(issue, { count, refusals: 0, issuedAt: now, nextAt: now + wait, wasEarly: isEarly });
    return count;
  }

  /** The layer doesn't issue it yet. */
  underWay(issue: Issue, now: number): void {
    this.#keep(issue, { ...this.#of(issue), nextAt: now + UNDER_WAY_MS });
  }

  /** How often the layer has refused it since it was issued last. */
  refusals(issue: Issue): number {
    return this.#of(issue).refusals;
  }

  /** The layer refuses it; returns for how many milliseconds it is left alone. */
  refused(issue: Issue, now: number): number {
    const tries = this.#of(issue);
    const waitMs = Math.min(REFUSED_MS * 2 ** tries.refusals, LONGEST_REFUSED_MS);
    this.#keep(issue, { ...tries, refusals: tries.refusals + 1, nextAt: now + waitMs });
    return waitMs;
  }

  /** It has arrived. */
  arrived(issue: Issue, now: number): void {
    this.#tries.delete(keyOf(issue));
    this.#arrivals.set(issue.personal.mint, now);
  }

  #of(issue: Issue): Tries {
    return this.#tries.peek(keyOf(issue)) ?? NONE;
  }

  #keep(issue: Issue, tries: Tries): void {
    this.#tries.set(keyOf(issue), tries);
  }
}
