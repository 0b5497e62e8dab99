import {
  bidFor,
  buildOwnTransaction,
  type FeePolicy,
  type Lifetime,
  priorityFeeOf,
  type SignedTransaction,
  type Time,
  unitLimitFor,
} from '@payouts/client';
import type { Address, Base64EncodedWireTransaction, Instruction, TransactionPartialSigner } from '@solana/kit';
import type { FeePurpose } from '../platform/metrics/ledgers.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type ConnectionInput, caller } from './rpc.ts';

/** Milliseconds for which what recent transactions paid is not asked again. */
const RECENT_MS = 5_000;
/** Milliseconds after which a transaction that was signed and not sent is forgotten. */
const FORGOTTEN_MS = 600_000;

/** What the base ledger tells of fees, and of what a transaction uses; a node that does not tell is as one where nobody pays. */
export type FeeSource = {
  /** What recent slots took at least for transactions that write these accounts, newest last, in micro-lamports a compute unit. */
  readonly recentFees: (accounts: readonly Address[]) => Promise<readonly bigint[]>;
  /** Compute units; undefined where it would fail, or nobody says. */
  readonly unitsUsed: (wire: Base64EncodedWireTransaction) => Promise<number | undefined>;
};

type RecentFee = { readonly slot: number; readonly prioritizationFee: number };
type Simulated = { readonly value: { readonly err: unknown; readonly unitsConsumed?: number } };

/** The base ledger's fees behind its RPC. */
export function connectFeeSource(input: ConnectionInput): FeeSource {
  const { call } = caller('base', input);
  return {
    recentFees: async (accounts) => {
      const found = await call<readonly RecentFee[]>('getRecentPrioritizationFees', [accounts]).catch(() => []);
      return found.toSorted((a, b) => a.slot - b.slot).map(({ prioritizationFee }) => BigInt(prioritizationFee));
    },
    unitsUsed: async (wire) => {
      const how = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: true };
      const found = await call<Simulated>('simulateTransaction', [wire, how]).catch(() => undefined);
      return found?.value.err === null ? found.value.unitsConsumed : undefined;
    },
  };
}

/** A transaction of the base ledger that is to be signed. */
export type FeeDraft = {
  readonly purpose: FeePurpose;
  /** Which of its purpose: it is signed again with a higher bid when the last one of this name expired. */
  readonly of: string;
  /** The accounts that it writes and others, too: what is paid for these counts. */
  readonly contended: readonly Address[];
  readonly feePayer: TransactionPartialSigner;
  readonly instructions: readonly Instruction[];
  readonly lifetime: Lifetime;
  /** Compute units that it may use; where a price is paid, what a simulation used and a tenth, if that is less. */
  readonly computeUnitLimit: number;
};

type Recent = { readonly askedAt: number; readonly fees: Promise<readonly bigint[]> };
type Signed = { readonly name: string; readonly purpose: FeePurpose; readonly lamports: bigint; readonly at: number };

export type FeeBidderInput = {
  readonly source: FeeSource;
  readonly policy: FeePolicy;
  readonly time: Time;
  readonly metrics: Metrics;
};

/**
 * Signs what goes to the base ledger, with a bid for its place by what others pay for the same accounts; each time that a transaction has
 * expired, its next one bids twice as much. Where nobody pays, nothing is added.
 */
export class FeeBidder {
  readonly #recent = new Map<string, Recent>();
  /** How often in a row transactions of a name have expired. */
  readonly #expired = new Map<string, number>();
  readonly #signed = new Map<string, Signed>();

  constructor(private readonly input: FeeBidderInput) {}

  /** Throws what the signer throws. */
  async sign({ purpose, of, contended, ...draft }: FeeDraft): Promise<SignedTransaction> {
    const { policy, time, metrics } = this.input;
    const name = `${purpose} ${of}`;
    const recent = policy.cap === 0n ? [] : await this.#recentFees(contended);
    const { price, isCapped } = bidFor(recent, policy, 1 + (this.#expired.get(name) ?? 0));
    metrics.feeBid.set({ purpose }, Number(price));
    if (isCapped && policy.cap > 0n) metrics.feesCapped.inc({ purpose });
    const priced = price === 0n ? draft : await this.#priced(draft, price);
    const signed = await buildOwnTransaction(priced);
    this.#forget();
    const lamports = priorityFeeOf(price, priced.computeUnitLimit);
    this.#signed.set(signed.signature, { name, purpose, lamports, at: time.monotonic() });
    return signed;
  }

  /** With a price, and a limit of compute units by what a simulation used: that many are paid for. */
  async #priced(draft: Omit<FeeDraft, 'purpose' | 'of' | 'contended'>, computeUnitPrice: bigint) {
    const priced = { ...draft, computeUnitPrice };
    const used = await this.input.source.unitsUsed((await buildOwnTransaction(priced)).wire);
    const most = draft.computeUnitLimit;
    return { ...priced, computeUnitLimit: used === undefined ? most : unitLimitFor(used, most) };
  }

  /** What a transaction would bid for its place now that nobody waits for, in micro-lamports a unit. */
  async price(): Promise<bigint> {
    const { policy } = this.input;
    return policy.cap === 0n ? 0n : bidFor(await this.#recentFees([]), policy).price;
  }

  /** Takes note of how a transaction ended. */
  ended(signature: string, outcome: 'landed' | 'failed' | 'expired'): void {
    const signed = this.#signed.get(signature);
    if (signed === undefined) return;
    this.#signed.delete(signature);
    const { name, purpose, lamports } = signed;
    if (outcome === 'expired') this.#expired.set(name, (this.#expired.get(name) ?? 0) + 1);
    else {
      this.#expired.delete(name);
      if (outcome === 'landed') this.input.metrics.feesPaid.inc({ purpose }, Number(lamports));
    }
  }

  #recentFees(accounts: readonly Address[]): Promise<readonly bigint[]> {
    const now = this.input.time.monotonic();
    const key = accounts.join();
    const known = this.#recent.get(key);
    if (known !== undefined && now - known.askedAt < RECENT_MS) return known.fees;
    for (const [old, { askedAt }] of this.#recent) if (now - askedAt >= RECENT_MS) this.#recent.delete(old);
    const fees = this.input.source.recentFees(accounts);
    this.#recent.set(key, { askedAt: now, fees });
    return fees;
  }

  #forget(): void {
    const now = this.input.time.monotonic();
    for (const [signature, { at }] of this.#signed) {
      // Later ones were signed later.
      if (now - at < FORGOTTEN_MS) return;
      this.#signed.delete(signature);
    }
  }
}
