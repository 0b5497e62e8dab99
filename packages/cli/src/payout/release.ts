import { drawReleaseTime, LONGEST_RELEASE_SECONDS, millisOf, type Time } from '@payouts/client';
import { WrongUsage } from './failure.ts';

const ROUNDED_BY = 3_600;

/** Unix seconds at which a withdrawal is released that is to be within so many seconds, drawn by lot; 0: at once. Throws `WrongUsage`. */
export function releaseWithin(within: number | undefined, time: Time): bigint {
  if (within === undefined) return 0n;
  if (within > LONGEST_RELEASE_SECONDS - ROUNDED_BY) throw new WrongUsage('--within takes less than 90 days.');
  const now = BigInt(Math.floor(time.now() / 1_000));
  return drawReleaseTime({ earliest: now, latest: now + BigInt(within) });
}

/** A release for programs: unix milliseconds; null: at once. */
export const releaseOf = (dueAt: bigint): number | null => (dueAt === 0n ? null : millisOf(dueAt));
