/**
 * What a cluster and its public nodes do and a localnet of its own does not: how late a transaction lands and is final, what gets lost,
 * what a node refuses. All of it is set in one call; what is left out is as in `NO_HABITS`.
 *
 * Landing, finality, lost sends and bids are the cluster's, for whoever sends. The others are the public nodes': an own node
 * (`OWN_NODE_PATH`) has none of them.
 */
export interface ClusterHabits {
  /** Milliseconds until a transaction that was sent lands. */
  readonly landMs: number;
  /** Milliseconds from then until it is final. */
  readonly finalMs: number;
  /** Sends in the last second beyond which the cluster is under load. An account is, beyond a fifth of them, as on Solana. */
  readonly loadSends: number;
  /** Share, 0 to 1, of the sends under load that are answered as always and never land. */
  readonly lostShare: number;
  /**
   * Micro-lamports a compute unit: a transaction that bids less at its landing is dropped without a word. Under load the bid grows in
   * proportion to it, for all or for those who write an account. 0: no bid is needed.
   */
  readonly baseBid: number;
  /** Milliseconds: every second call and every second websocket is answered by a node that is so far behind. */
  readonly behindMs: number;
  /** Calls that one client address has answered in ten seconds; null: all. */
  readonly calls: number | null;
  /** The same of one method. */
  readonly callsPerMethod: number | null;
  /** Whether a refusal for too many calls (HTTP 429) says by Retry-After when to come again. */
  readonly saysRetryAfter: boolean;
  /** Whether transactions can be looked up; without, only the status of those of the last two minutes. */
  readonly hasHistory: boolean;
  /** Whether accounts are listed by their program. */
  readonly listsAccounts: boolean;
  /** Milliseconds after which a websocket is cut; null: never. */
  readonly websocketMs: number | null;
}

/** A localnet's own: everything lands and is final at once, and one node answers whatever it is asked. */
export const NO_HABITS: ClusterHabits = {
  landMs: 0,
  finalMs: 0,
  loadSends: 20,
  lostShare: 0,
  baseBid: 0,
  behindMs: 0,
  calls: null,
  callsPerMethod: null,
  saysRetryAfter: false,
  hasHistory: true,
  listsAccounts: true,
  websocketMs: null,
};

/** Typical figures: what Solana's mainnet takes, about, and the documented limits of its public endpoints. */
export const CLUSTER_HABITS: ClusterHabits = {
  landMs: 600,
  finalMs: 12_800,
  loadSends: 20,
  lostShare: 0.3,
  baseBid: 10_000,
  behindMs: 800,
  calls: 100,
  callsPerMethod: 40,
  saysRetryAfter: true,
  hasHistory: false,
  listsAccounts: false,
  websocketMs: 60_000,
};

const NAMES = Object.keys(NO_HABITS) as readonly (keyof ClusterHabits)[];
const SHARES: readonly string[] = ['lostShare'];

/** Reads habits from JSON; throws a sentence when something is no habit. */
export function readHabits(given: Readonly<Record<string, unknown>>): ClusterHabits {
  for (const [name, value] of Object.entries(given)) {
    const typical = NO_HABITS[name as keyof ClusterHabits];
    if (typical === undefined) throw new Error(`${name} is no habit: there are ${NAMES.join(', ')}`);
    if (!isHabit(name, value, typical)) throw new Error(`${name} may not be ${String(value)}`);
  }
  return { ...NO_HABITS, ...given };
}

function isHabit(name: string, value: unknown, typical: number | boolean | null): boolean {
  if (typeof typical === 'boolean') return typeof value === 'boolean';
  if (value === null) return typical === null;
  return typeof value === 'number' && value >= 0 && value <= (SHARES.includes(name) ? 1 : Number.MAX_SAFE_INTEGER);
}
