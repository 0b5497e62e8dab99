import type { Random } from '@payouts/testing/random';

/** What a simulated process calls. */
export const PARTS = ['base', 'layer', 'database'] as const;
export type Part = (typeof PARTS)[number];

/** What becomes of a call. */
export type Fate = {
  /** Milliseconds until it is answered. */
  readonly takes: number;
  /** `unasked`: it never arrives; `unanswered`: it arrives, and its answer is lost. */
  readonly fault: 'none' | 'unasked' | 'unanswered';
  /** Milliseconds by which the node that answers is behind. */
  readonly lag: number;
};

/** How often things go wrong, each from 0 to 1. */
export type Climate = {
  readonly unasked: number;
  readonly unanswered: number;
  readonly slow: number;
  readonly stale: number;
  /** Of bytes sent to the base: lost between its nodes, delivered twice, or first seen on a fork. */
  readonly lost: number;
  readonly doubled: number;
  readonly forked: number;
};

export const CALM: Climate = { unasked: 0, unanswered: 0, slow: 0, stale: 0, lost: 0, doubled: 0, forked: 0 };

/** From the best to the worst that is simulated. */
export const CLIMATES: readonly (readonly [weight: number, Climate])[] = [
  [2, { unasked: 0.002, unanswered: 0.002, slow: 0.01, stale: 0.01, lost: 0.01, doubled: 0.01, forked: 0.01 }],
  [3, { unasked: 0.02, unanswered: 0.02, slow: 0.05, stale: 0.05, lost: 0.1, doubled: 0.05, forked: 0.05 }],
  [1, { unasked: 0.1, unanswered: 0.1, slow: 0.1, stale: 0.15, lost: 0.4, doubled: 0.2, forked: 0.15 }],
];

/** Longest answers and lags in milliseconds. */
const QUICK_MS = { base: 30, layer: 8, database: 4 } as const;
const SLOW_MS = 8_000;
const LAG_MS = { base: 12_000, layer: 600, database: 0 } as const;

/** What goes wrong between processes, ledgers and database, and when. */
export class Weather {
  readonly #gone = new Set<Part>();
  climate: Climate = CALM;
  /** How often what went wrong. */
  readonly counts = { unasked: 0, unanswered: 0, slow: 0, stale: 0, gone: 0, lost: 0, doubled: 0, forked: 0 };

  constructor(private readonly random: Random) {}

  /** A part can't be reached, or can be again. */
  setGone(part: Part, isGone: boolean): void {
    if (isGone) this.#gone.add(part);
    else this.#gone.delete(part);
  }

  isGone(part: Part): boolean {
    return this.#gone.has(part);
  }

  fate(part: Part): Fate {
    const { climate } = this;
    const isSlow = this.#happens('slow', climate.slow);
    const takes = 1 + this.random.below(isSlow ? SLOW_MS : QUICK_MS[part]);
    const lag = part !== 'database' && this.#happens('stale', climate.stale) ? this.random.below(LAG_MS[part]) : 0;
    // A database that is there seldom fails.
    const rarely = part === 'database' ? 0.2 : 1;
    if (this.#happens('unasked', climate.unasked * rarely)) return { takes, fault: 'unasked', lag };
    if (this.#happens('unanswered', climate.unanswered * rarely)) return { takes, fault: 'unanswered', lag };
    return { takes, fault: 'none', lag };
  }

  /** Whether this happens to bytes that were sent. */
  toBytes(fault: 'lost' | 'doubled' | 'forked'): boolean {
    return this.#happens(fault, this.climate[fault]);
  }

  countGone(): void {
    this.counts.gone += 1;
  }

  #happens(fault: keyof Weather['counts'], probability: number): boolean {
    if (!this.random.chance(probability)) return false;
    this.counts[fault] += 1;
    return true;
  }
}
