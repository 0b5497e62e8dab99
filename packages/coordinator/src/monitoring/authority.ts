import type { Address } from '@solana/kit';
import { type BaseLedger, readAccount } from '../ledger/ledger.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import type { Metrics } from '../platform/metrics.ts';
import { openingsLeft } from '../runs/funding.ts';

const EVERY_MS = 30_000;

/** Keeps the gauges of the execution authority's balance true until the signal. The last balance stands while the ledger can't be read. */
export function observeAuthority(
  input: LoopContext & { readonly base: BaseLedger; readonly authority: Address; readonly metrics: Metrics },
): Promise<void> {
  const { base, authority, metrics } = input;
  return runLoop({ ...input, name: 'authority-balance' }, async () => {
    const account = await readAccount(base, authority);
    const lamports = account?.lamports ?? 0n;
    metrics.authorityLamports.set(Number(lamports));
    metrics.authorityOpenings.set(openingsLeft(lamports));
    return EVERY_MS;
  });
}
