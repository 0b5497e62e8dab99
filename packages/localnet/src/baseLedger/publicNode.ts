import type { Time } from '@payouts/client';
import type { ClusterHabits } from './habits.ts';
import type { HistoryEntry } from './history.ts';
import { RPC_CODE, RpcError } from './rpc/rpcError.ts';

type Refusing = Pick<ClusterHabits, 'calls' | 'callsPerMethod' | 'saysRetryAfter' | 'hasHistory' | 'listsAccounts'>;

const PERIOD_MS = 10_000;
/** For how long a node without history knows what became of a transaction: 300 blocks, as on Solana; milliseconds. */
const STATUS_MS = 120_000;
const HISTORY_METHODS: readonly string[] = ['getTransaction', 'getSignaturesForAddress'];

/** More calls than a node answers: HTTP status 429. */
export class TooManyCalls extends Error {
  constructor(
    message: string,
    /** Seconds; undefined: the node doesn't say. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** What one client address has asked for since. */
interface Period {
  readonly since: number;
  calls: number;
  readonly methods: Map<string, number>;
}

/** Refuses what a public node would refuse. */
export class PublicNode {
  readonly #periods = new Map<string, Period>();

  constructor(
    private readonly time: Time,
    private readonly habits: () => Refusing,
  ) {}

  /** Begins to count anew. */
  reset(): void {
    this.#periods.clear();
  }

  /** Throws `TooManyCalls`, or `RpcError` where the node lacks what a client asks for. */
  check(client: string, method: string, searchesHistory: boolean): void {
    this.#count(client, method);
    const { hasHistory, listsAccounts } = this.habits();
    if (!hasHistory && (HISTORY_METHODS.includes(method) || searchesHistory)) {
      throw new RpcError(RPC_CODE.historyNotAvailable, 'Transaction history is not available from this node');
    }
    if (!listsAccounts && method === 'getProgramAccounts') {
      throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
    }
  }

  /** Whether the status of a landed transaction is no longer known. */
  hasForgotten({ at }: HistoryEntry): boolean {
    return !this.habits().hasHistory && this.time.now() - at > STATUS_MS;
  }

  #count(client: string, method: string): void {
    const { calls, callsPerMethod } = this.habits();
    if (calls === null && callsPerMethod === null) return;
    const period = this.#periodOf(client);
    const ofMethod = (period.methods.get(method) ?? 0) + 1;
    period.calls += 1;
    period.methods.set(method, ofMethod);
    if (ofMethod > (callsPerMethod ?? ofMethod)) {
      throw this.#tooMany('Too many requests for a specific RPC call', period);
    }
    if (period.calls > (calls ?? period.calls)) throw this.#tooMany('Too many requests from your IP', period);
  }

  #periodOf(client: string): Period {
    const now = this.time.now();
    const found = this.#periods.get(client);
    if (found !== undefined && now - found.since < PERIOD_MS) return found;
    const period = { since: now, calls: 0, methods: new Map() };
    this.#periods.set(client, period);
    return period;
  }

  #tooMany(message: string, { since }: Period): TooManyCalls {
    const seconds = Math.ceil((since + PERIOD_MS - this.time.now()) / 1_000);
    return new TooManyCalls(message, this.habits().saysRetryAfter ? seconds : undefined);
  }
}
