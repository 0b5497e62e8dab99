/** Milliseconds: the layer issues a withdrawal again after 30 s at the earliest. */
const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;
/** Milliseconds until a withdrawal is tried again that the layer says is under way. */
const UNDER_WAY_MS = 5_000;
/** Withdrawals remembered; of more that fail, the oldest are tried more often than they need be. */
const MOST = 10_000;

/** A withdrawal, and the wallet it goes to now: redirected, it is another try. Private. */
export type Issue = { readonly mint: string; readonly pendingNumber: bigint; readonly pendingWallet: string };

type Tries = { readonly count: number; readonly nextAt: number };

const keyOf = ({ mint, pendingNumber, pendingWallet }: Issue) => `${mint}:${pendingNumber}:${pendingWallet}`;

/** When a withdrawal that did not arrive is to be issued again: each time after twice the wait, at most an hour. */
export class IssueBackoff {
  readonly #tries = new Map<string, Tries>();

  /** Whether it may be issued now, unix milliseconds. */
  isDue(issue: Issue, now: number): boolean {
    const tries = this.#tries.get(keyOf(issue));
    return tries === undefined || now >= tries.nextAt;
  }

  /** It is issued; returns how often it has been, this time included. */
  issued(issue: Issue, now: number): number {
    const count = (this.#tries.get(keyOf(issue))?.count ?? 0) + 1;
    this.#keep(issue, { count, nextAt: now + Math.min(FIRST_MS * 2 ** (count - 1), LONGEST_MS) });
    return count;
  }

  /** The layer doesn't issue it yet. */
  underWay(issue: Issue, now: number): void {
    const count = this.#tries.get(keyOf(issue))?.count ?? 0;
    this.#keep(issue, { count, nextAt: now + UNDER_WAY_MS });
  }

  /** It has arrived. */
  arrived(issue: Issue): void {
    this.#tries.delete(keyOf(issue));
  }

  #keep(issue: Issue, tries: Tries): void {
    const key = keyOf(issue);
    this.#tries.delete(key);
    this.#tries.set(key, tries);
    const oldest = this.#tries.keys().next();
    if (this.#tries.size > MOST && !oldest.done) this.#tries.delete(oldest.value);
  }
}
