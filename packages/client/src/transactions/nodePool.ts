import type { Time } from '../time.ts';

/**
 * What a call's failure says of the node that was asked.
 * - `busy`: it has had too many calls, and wants to be left alone for so many milliseconds; undefined: it doesn't say how long
 * - `behind`: it has not seen yet what other nodes have shown
 * - `lacking`: it does not offer this call
 * - `down`: it can't be reached, or says nothing that makes sense
 */
export type NodeTrouble =
  | { readonly kind: 'busy'; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'behind' | 'lacking' | 'down' };

/** Milliseconds: whatever a node asks for, it is tried again after so long. */
const LONGEST_REST_MS = 10_000;
/** Milliseconds that a busy node is left alone for where it doesn't say how long, twice as long each time it refuses again. */
const FIRST_REST_MS = 500;
/** Milliseconds over which calls that waited together are spread. */
const SPREAD_MS = 200;
/** Milliseconds for which others are asked before a node that is behind. */
const BEHIND_MS = 1_000;
/** Milliseconds for which others are asked before one that is down: at first, twice as long each time, and at most. */
const FIRST_DOWN_MS = 2_000;
const LONGEST_DOWN_MS = 60_000;
/** Milliseconds for which others are asked first what a node does not offer. */
const LACKING_MS = 600_000;

/**
 * Milliseconds to wait by a Retry-After header, seconds or a date, ten seconds at most; undefined if it is neither, or names no time that
 * is still to come: then the node has not said how long. `now`: unix milliseconds.
 */
export function retryAfterMs(header: string, now: number): number | undefined {
  const asked = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return asked > 0 ? Math.min(asked, LONGEST_REST_MS) : undefined;
}

/** One address of a ledger, and how it has answered lately. Times are of the process's own clock, which nobody sets. */
class Node {
  /** Until when nothing is asked of it, and until when others are asked first. */
  restsUntil = Number.NEGATIVE_INFINITY;
  avoidedUntil = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #failures = 0;
  readonly #lacking = new Map<string, number>();

  constructor(
    readonly url: string,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {}

  /** Whether others are better asked for this. */
  isAvoided(what: string): boolean {
    const now = this.time.monotonic();
    return now < this.avoidedUntil || now < (this.#lacking.get(what) ?? now);
  }

  answered(): void {
    this.#refusals = 0;
    this.#failures = 0;
  }

  heed(trouble: NodeTrouble, what: string): void {
    const now = this.time.monotonic();
    if (trouble.kind === 'busy') this.#rest(trouble.retryAfterMs, now);
    else if (trouble.kind === 'lacking') this.#lacking.set(what, now + LACKING_MS);
    else if (trouble.kind === 'behind') this.avoidedUntil = Math.max(this.avoidedUntil, now + BEHIND_MS);
    // Calls that were under way together fail once.
    else if (now >= this.avoidedUntil) {
      this.avoidedUntil = now + Math.min(FIRST_DOWN_MS * 2 ** this.#failures, LONGEST_DOWN_MS);
      this.#failures += 1;
    }
  }

  #rest(askedMs: number | undefined, now: number): void {
    if (askedMs !== undefined) this.restsUntil = Math.max(this.restsUntil, now + askedMs);
    // Here, too.
    else if (now >= this.restsUntil) {
      this.restsUntil = now + Math.min(FIRST_REST_MS * 2 ** this.#refusals, LONGEST_REST_MS);
      this.#refusals += 1;
    }
  }
}

/** Input of a pool: its addresses, the preferred one first, and what a call's failure says of a node; undefined: it has answered. */
export type NodePoolInput = {
  readonly urls: readonly string[];
  readonly time: Time;
  readonly troubleOf: (error: unknown) => NodeTrouble | undefined;
};

/**
 * Several nodes of one ledger. The first is asked while it answers; where it is down, behind, busy or does not offer a call, the others
 * in turn. One that has had too many calls is left alone for as long as it asks.
 */
export class NodePool {
  readonly #nodes: readonly Node[];

  constructor(private readonly input: NodePoolInput) {
    this.#nodes = input.urls.map((url) => new Node(url, input.time));
  }

  /** How many nodes are left alone now, for whatever reason. */
  get inTrouble(): number {
    const now = this.input.time.monotonic();
    return this.#nodes.filter(({ restsUntil, avoidedUntil }) => now < Math.max(restsUntil, avoidedUntil)).length;
  }

  /**
   * Makes a call: at one node, and at others as long as the asked ones are in trouble. A call waits once for nodes that want to be left
   * alone. Throws the signal's reason, or what the last node's call threw.
   */
  async call<T>(what: string, ask: (url: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { time, troubleOf } = this.input;
    const left = new Set(this.#nodes);
    for (let node = this.#best(left, what) as Node; ; ) {
      const restMs = node.restsUntil - time.monotonic();
      if (restMs > 0) await time.pause(restMs + time.random() * SPREAD_MS, signal);
      left.delete(node);
      try {
        const answer = await ask(node.url);
        node.answered();
        return answer;
      } catch (error) {
        const trouble = signal?.aborted ? undefined : troubleOf(error);
        if (trouble !== undefined) node.heed(trouble, what);
        const next = this.#best(left, what);
        const mayGoOn = trouble !== undefined && next !== undefined && next.restsUntil <= time.monotonic();
        if (!mayGoOn) throw error;
        node = next;
      }
    }
  }

  /** The first that is neither resting nor avoided, else the first that is not resting, else the one that rests shortest. */
  #best(among: ReadonlySet<Node>, what: string): Node | undefined {
    const now = this.input.time.monotonic();
    const restOf = ({ restsUntil }: Node) => Math.max(0, restsUntil - now);
    const rank = (node: Node) => [restOf(node), node.isAvoided(what) ? 1 : 0] as const;
    let best: Node | undefined;
    for (const node of among) {
      if (best === undefined) best = node;
      else {
        const [[rest, avoided], [bestRest, bestAvoided]] = [rank(node), rank(best)];
        if (rest < bestRest || (rest === bestRest && avoided < bestAvoided)) best = node;
      }
    }
    return best;
  }
}
