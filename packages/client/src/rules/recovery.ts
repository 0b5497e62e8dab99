import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { addressFromBytes, addressToBytes } from '../accounts/base58.ts';
import type { Recovery } from '../generated/index.ts';
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

/** The mask of a recovery wallet that is named from `since` on (unix seconds): H(0x07 ‖ balance ‖ since i64). */
export function recoveryMask(balance: Address, since: bigint): Uint8Array {
  const time = new Uint8Array(BigInt64Array.of(since).buffer);
  return sha256(Uint8Array.of(MASK, ...addressToBytes(balance), ...time));
}

/** What a balance's recovery account says at a time, unix seconds. */
export function readRecovery(balance: Address, recovery: Recovery, now: bigint): RecoveryState {
  const { wallet, since, nextWallet, nextSince, dueAt } = recovery;
  const completesAt = dueAt === 0n ? null : dueAt;
  const present = unmasked(balance, wallet, since);
  if (nextSince === 0n) return { wallet: present, change: null, completesAt };
  const next = unmasked(balance, nextWallet, nextSince);
  if (dueAt === 0n && nextSince <= now) return { wallet: next, change: null, completesAt };
  return { wallet: present, change: { wallet: next, from: nextSince }, completesAt };
}

function unmasked(balance: Address, masked: ReadonlyUint8Array, since: bigint): Address | null {
  const bytes = recoveryMask(balance, since).map((byte, place) => byte ^ (masked[place] ?? 0));
  return bytes.every((byte) => byte === 0) ? null : addressFromBytes(bytes);
}
