/** Milliseconds: the layer issues a withdrawal again after 30 s at the earliest. */
const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;
/** Milliseconds until a withdrawal is tried again that the layer says is under way. */
const UNDER_WAY_MS = 5_000;
/** Milliseconds until it is looked again whether one can be paid. */
const PUT_OFF_MS = 60_000;
/** Milliseconds until one is tried again that the layer refuses: twice as long after each refusal. */
const REFUSED_MS = 5_000;
const LONGEST_REFUSED_MS = 600_000;
/** Where a tree has not places for all, those that were issued so often share one in so many, and others of them after so many milliseconds. */
const OFTEN = 5;
const PART = 8;
const DRAWN_FOR_MS = 300_000;

/** A withdrawal, and the wallet it goes to now: redirected, it is another try. Private. */
export type Issue = {
  readonly number: bigint;
  readonly wallet: string;
  /** Unix seconds of the layer's clock from which on it may be issued; 0: it never was. */
  readonly dueAt: bigint;
};

/** How often one was issued to a wallet, when last and when again, unix milliseconds; how often it was refused since, and whether it was issued early. */
type Tries = {
  readonly wallet: string;
  readonly count: number;
  /** How often it was tried with any wallet: issued, or put off. */
  readonly total: number;
  /** How often it was refused since it was issued last. */
  readonly refusals: number;
  readonly issuedAt: number;
  readonly nextAt: number;
  readonly wasEarly: boolean;
};

const NEVER = Number.NEGATIVE_INFINITY;
const NONE = { count: 0, refusals: 0, issuedAt: NEVER, nextAt: NEVER, wasEarly: false };

/**
 * When a token's withdrawal that did not arrive is to be issued again: each time after twice the wait, at most an hour. Once each, it is
 * issued early when another one has arrived since: it may have failed for a reason that is gone, such as a ledger that was away.
 */
export class IssueBackoff {
  /** By number, of those that are under way: however many they are, none is issued more often for that. */
  readonly #tries = new Map<bigint, Tries>();
  /** When a withdrawal arrived last, unix milliseconds. */
  #arrivedAt = NEVER;
  /** Numbers that were drawn last of those that were often issued, and when, unix milliseconds. */
  #drawn: ReadonlySet<bigint> = new Set();
  #drawnAt = NEVER;

  /**
   * Of all that are under way, in random order, those that are to be issued now. If a tree has not places for all, the ones that were issued
   * least often have them, the oldest first; what was issued often has a few, drawn anew now and then. So nobody's withdrawals that can never
   * be paid keep others waiting, and many of them cost no more than some do.
   */
  toIssue<One extends Issue>(underWay: readonly One[], places: number, now: number): One[] {
    const numbers = new Set(underWay.map(({ number }) => number));
    for (const number of this.#tries.keys()) if (!numbers.has(number)) this.#tries.delete(number);
    const due = underWay.filter((each) => this.isDue(each, now));
    if (underWay.length <= places) return due;
    const often = this.#drawnOf(
      due.filter((each) => this.#of(each).total >= OFTEN),
      Math.ceil(places / PART),
      now,
    );
    const seldom = due
      .filter((each) => this.#of(each).total < OFTEN)
      .sort((one, other) => this.#of(one).total - this.#of(other).total || (one.number < other.number ? -1 : 1));
    const chosen = new Set([...often, ...seldom.slice(0, places - often.length)]);
    return due.filter((each) => chosen.has(each));
  }

  /** Whether it may be issued now, unix milliseconds. */
  isDue(issue: Issue, now: number): boolean {
    // One that its recipient has put off, or that was just issued.
    if (Number(issue.dueAt) * 1_000 > now) return false;
    const { issuedAt, nextAt, wasEarly, refusals } = this.#of(issue);
    if (now >= nextAt) return true;
    return !wasEarly && refusals === 0 && this.#arrivedAt > issuedAt && now >= issuedAt + FIRST_MS;
  }

  /** It is issued; returns how often it has been to this wallet, this time included. */
  issued(issue: Issue, now: number): number {
    const { wallet, count: before, total, ...last } = this.#of(issue);
    const count = before + 1;
    const nextAt = now + Math.min(FIRST_MS * 2 ** before, LONGEST_MS);
    const wasEarly = last.wasEarly || now < last.nextAt;
    this.#keep(issue, { wallet, count, total: total + 1, refusals: 0, issuedAt: now, nextAt, wasEarly });
    return count;
  }

  /** The layer doesn't issue it yet. */
  underWay(issue: Issue, now: number): void {
    this.#keep(issue, { ...this.#of(issue), nextAt: now + UNDER_WAY_MS });
  }

  /** The base ledger would refuse it now: a try, though it is not issued. Others that arrive don't change that. */
  putOff(issue: Issue, now: number): void {
    const tries = this.#of(issue);
    this.#keep(issue, { ...tries, total: tries.total + 1, nextAt: now + PUT_OFF_MS, wasEarly: true });
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
  arrived({ number }: Issue, now: number): void {
    this.#tries.delete(number);
    this.#arrivedAt = now;
  }

  /** Of those that were often issued, in random order, the ones that were drawn. */
  #drawnOf<One extends Issue>(often: readonly One[], places: number, now: number): One[] {
    if (often.length > 0 && now >= this.#drawnAt + DRAWN_FOR_MS) {
      this.#drawn = new Set(often.slice(0, places).map(({ number }) => number));
      this.#drawnAt = now;
    }
    return often.filter(({ number }) => this.#drawn.has(number));
  }

  #of({ number, wallet, dueAt }: Issue): Tries {
    const known = this.#tries.get(number);
    if (known?.wallet === wallet) return known;
    // Of what another process has issued, no more is known than that it was.
    return { ...NONE, wallet, total: known?.total ?? (dueAt === 0n ? 0 : 1) };
  }

  #keep({ number }: Issue, tries: Tries): void {
    this.#tries.set(number, tries);
  }
}
