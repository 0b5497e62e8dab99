import type { Time } from '@payouts/client';
import { type Address, address } from '@solana/kit';
import type { LedgerAccount } from './ledger.ts';

/** Where a ledger shows its clock. */
export const CLOCK_ADDRESS: Address = address('SysvarC1ock11111111111111111111111111111111');

/** A ledger's time in unix seconds, from its clock account. */
export function clockTime(account: LedgerAccount | null): bigint | undefined {
  if (account === null || account.data.length < 40) return undefined;
  return new DataView(account.data.buffer, account.data.byteOffset).getBigInt64(32, true);
}

/** The base ledger's time between two readings of it: due is what is due there, whatever this machine's clock says. */
export class LedgerClock {
  #offsetMs = 0;
  #learnedAt = Number.NEGATIVE_INFINITY;
  #shown: bigint | undefined;

  constructor(private readonly time: Pick<Time, 'now'>) {}

  /** Takes a reading in unix seconds. */
  learn(ledgerSeconds: bigint): void {
    this.#shown = ledgerSeconds;
    this.#learnedAt = this.time.now();
    this.#offsetMs = Number(ledgerSeconds) * 1_000 - this.#learnedAt;
  }

  /** Milliseconds since the last reading. */
  get ageMs(): number {
    return this.time.now() - this.#learnedAt;
  }

  /** What the last reading showed, in unix seconds. */
  get shown(): bigint | undefined {
    return this.#shown;
  }

  /** Unix seconds; a second behind at times, since a reading has whole ones. */
  now(): bigint {
    return BigInt(Math.floor((this.time.now() + this.#offsetMs) / 1_000));
  }

  /** When the ledger's clock will show `ledgerSeconds`, in unix milliseconds of this machine's. */
  localTimeOf(ledgerSeconds: bigint): number {
    return Number(ledgerSeconds) * 1_000 - this.#offsetMs;
  }
}
