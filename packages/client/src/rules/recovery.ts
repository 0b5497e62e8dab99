import type { Address } from '@solana/kit';
import type { Personal } from '../generated/index.ts';

/** Seconds in which a recovery can be refused, and until another recovery wallet takes the place of the present one. */
export const RECOVERY_SECONDS = 14 * 86_400;

/** Who may recover a balance; times in unix seconds. */
export type RecoveryState = {
  /** Null: nobody. */
  readonly wallet: Address | null;
  /** Takes the place of `wallet`, from then on and not while a recovery is under way; null: nothing changes. */
  readonly change: { readonly wallet: Address | null; readonly from: bigint } | null;
  /** From when on the recovery under way can be completed; null: there is none. */
  readonly completesAt: bigint | null;
};

/** What of a personal account is about its recovery. */
export type Recovery = Pick<Personal, 'recoveryWallet' | 'recoveryNextWallet' | 'recoveryNextSince' | 'recoveryDueAt'>;

const NOBODY = '11111111111111111111111111111111';
const walletOf = (wallet: Address): Address | null => (wallet === NOBODY ? null : wallet);

/** What a personal account says of its recovery at a time, unix seconds. */
export function readRecovery(recovery: Recovery, now: bigint): RecoveryState {
  const { recoveryNextSince: nextSince, recoveryDueAt: dueAt } = recovery;
  const completesAt = dueAt === 0n ? null : dueAt;
  const [wallet, next] = [walletOf(recovery.recoveryWallet), walletOf(recovery.recoveryNextWallet)];
  if (nextSince === 0n) return { wallet, change: null, completesAt };
  if (dueAt === 0n && nextSince <= now) return { wallet: next, change: null, completesAt };
  return { wallet, change: { wallet: next, from: nextSince }, completesAt };
}
