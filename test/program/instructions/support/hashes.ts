import { createHash } from 'node:crypto';
import type { ClaimEntryArgs } from '@payouts/client';
import { bytesOf, u32, u64 } from '@payouts/testing/litesvm/addresses';
import type { Schedule } from '@payouts/testing/litesvm/handles';

/** A list's leaf, hashed as docs/internals/ledger-program.md says: also of an entry that no list may have. */
export function entryHash(index: number, { owner, amount, blind }: ClaimEntryArgs): Uint8Array {
  return hash(0, u32(index), Uint8Array.from(owner), u64(BigInt(amount)), Uint8Array.from(blind));
}

/** What a window's batch commits to about who was paid. */
export function bitmapHash({ address }: Schedule, window: bigint, bitmap: Uint8Array): Uint8Array {
  return hash(3, bytesOf(address), u64(window), bitmap);
}

function hash(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const sha256 = createHash('sha256').update(Uint8Array.of(tag));
  for (const part of parts) sha256.update(part);
  return new Uint8Array(sha256.digest());
}
