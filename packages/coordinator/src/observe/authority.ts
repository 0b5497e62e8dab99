import type { Address } from '@solana/kit';
import { type BaseLedger, readAccount } from '../ledger/ledger.ts';
import type { Metrics } from '../metrics.ts';
import { systemTime } from '../time.ts';

const EVERY_MS = 30_000;

/** Keeps the gauge of the execution authority's balance true until the signal. A reading that fails is counted as a ledger's call. */
export async function observeAuthority(input: {
  readonly base: BaseLedger;
  readonly authority: Address;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { base, authority, metrics, signal } = input;
  while (!signal.aborted) {
    try {
      const account = await readAccount(base, authority);
      metrics.authorityLamports.set(Number(account?.lamports ?? 0n));
    } catch {
      // The last balance stands until the ledger can be read again.
    }
    await systemTime.pause(EVERY_MS, signal).catch(() => {});
  }
}
