import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import type { Personal } from '../generated/index.ts';
import { sha256 } from '../merkle/hash.ts';

/** Seconds in which a recovery can be refused, and until another recovery wallet takes the place of the present one. */
export const RECOVERY_SECONDS = 14 * 86_400;

/** First byte of what a recovery wallet's mask is the hash of. */
const MASK = 7;

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
export type Recovery = Pick<
  Personal,
  'recoveryWallet' | 'recoverySince' | 'recoveryNextWallet' | 'recoveryNextSince' | 'recoveryDueAt'
>;

/** The mask of a recovery wallet that is named from `since` on (unix seconds): H(0x07 ‖ personal account ‖ since i64). */
export function recoveryMask(personal: Address, since: bigint): Uint8Array {
  const time = new Uint8Array(BigInt64Array.of(since).buffer);
  return sha256(Uint8Array.of(MASK, ...addressToBytes(personal), ...time));
}

/** What a personal account says of its recovery at a time, unix seconds. */
export function readRecovery(personal: Address, recovery: Recovery, now: bigint): RecoveryState {
  const { recoverySince: since, recoveryNextSince: nextSince, recoveryDueAt: dueAt } = recovery;
  const completesAt = dueAt === 0n ? null : dueAt;
  const present = since === 0n ? null : unmasked(personal, recovery.recoveryWallet, since);
  if (nextSince === 0n) return { wallet: present, change: null, completesAt };
  const next = unmasked(personal, recovery.recoveryNextWallet, nextSince);
  if (dueAt === 0n && nextSince <= now) return { wallet: next, change: null, completesAt };
  return { wallet: present, change: { wallet: next, from: nextSince }, completesAt };
}

function unmasked(personal: Address, masked: ReadonlyUint8Array, since: bigint): Address | null {
  const bytes = recoveryMask(personal, since).map((byte, place) => byte ^ (masked[place] ?? 0));
  return bytes.every((byte) => byte === 0) ? null : addressFromBytes(bytes);
}
