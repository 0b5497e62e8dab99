import type { Time } from '@payouts/client';
import { RPC_CODE, RpcError } from './rpc/rpcError.ts';

/** What a public node keeps to and a localnet's own does not. All of it at first: no limits. */
export interface NodeLimits {
  /** Calls of one method that are answered in ten seconds, as on Solana's public endpoints (devnet: 40); null: all. */
  readonly callsPerMethod: number | null;
  /** Whether a refusal for too many calls (HTTP 429) says by Retry-After when to come again. */
  readonly saysRetryAfter: boolean;
  /** Whether transactions can be looked up; without, only the status of recent ones. */
  readonly hasHistory: boolean;
  /** Whether accounts are listed by their program. */
  readonly listsAccounts: boolean;
}

export const NO_LIMITS: NodeLimits = {
  callsPerMethod: null,
  saysRetryAfter: false,
  hasHistory: true,
  listsAccounts: true,
};

const PERIOD_MS = 10_000;
const HISTORY_METHODS: readonly string[] = ['getTransaction', 'getSignaturesForAddress'];

/** More calls of a method than a node answers: HTTP status 429. */
export class TooManyCalls extends Error {
  constructor(
    /** Seconds; undefined: the node doesn't say. */
    readonly retryAfter: number | undefined,
  ) {
    super('Too many requests for a specific RPC call');
  }
}

/** Refuses what a public node would refuse. */
export class LimitedNode {
  #limits = NO_LIMITS;
  #calls = new Map<string, { count: number; readonly since: number }>();

  constructor(private readonly time: Time) {}

  get limits(): NodeLimits {
    return this.#limits;
  }

  set limits(limits: NodeLimits) {
    this.#limits = limits;
    this.#calls.clear();
  }

  /** Throws `TooManyCalls`, or `RpcError` where the node lacks what is asked for. */
  check(method: string, searchesHistory: boolean): void {
    this.#count(method);
    if (!this.#limits.hasHistory && (HISTORY_METHODS.includes(method) || searchesHistory)) {
      throw new RpcError(RPC_CODE.historyNotAvailable, 'Transaction history is not available from this node');
    }
    if (!this.#limits.listsAccounts && method === 'getProgramAccounts') {
      throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
    }
  }

  #count(method: string): void {
    const { callsPerMethod, saysRetryAfter } = this.#limits;
    if (callsPerMethod === null) return;
    const now = this.time.now();
    let period = this.#calls.get(method);
    if (period === undefined || now - period.since >= PERIOD_MS) period = { count: 0, since: now };
    period.count += 1;
    this.#calls.set(method, period);
    if (period.count <= callsPerMethod) return;
    throw new TooManyCalls(saysRetryAfter ? Math.ceil((period.since + PERIOD_MS - now) / 1_000) : undefined);
  }
}
