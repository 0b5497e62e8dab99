import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type BaseLedger, readAccount } from '../ledger/ledger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { openingsLeft } from '../runs/funding.ts';

const EVERY_MS = 30_000;

/** Keeps the gauges of the execution authority's balance true until the signal. A reading that fails is counted as a ledger's call. */
export async function observeAuthority(input: {
  readonly base: BaseLedger;
  readonly authority: Address;
  readonly time: Time;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { base, authority, time, metrics, signal } = input;
  while (!signal.aborted) {
    try {
      const account = await readAccount(base, authority);
      const lamports = account?.lamports ?? 0n;
      metrics.authorityLamports.set(Number(lamports));
      metrics.authorityOpenings.set(openingsLeft(lamports));
    } catch {
      // The last balance stands until the ledger can be read again.
    }
    await time.pause(EVERY_MS, signal).catch(() => {});
  }
}
