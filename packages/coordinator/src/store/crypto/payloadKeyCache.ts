import { createHash } from 'node:crypto';
import type { Time } from '@payouts/client';
import type { PayloadKey } from './payloadKeys.ts';

/** Data keys remembered; the oldest give way. */
const MOST = 1_000;

/** Remembers for some milliseconds what a key service has unwrapped, so that a run does not wait for it again and again. */
export function cachedFor(milliseconds: number, key: PayloadKey, time: Pick<Time, 'now'>): PayloadKey {
  const unwrapped = new Map<string, { readonly bytes: Uint8Array; readonly until: number }>();
  const nameOf = (wrapped: Uint8Array, associated: Uint8Array) =>
    createHash('sha256').update(`${wrapped.length} `).update(wrapped).update(associated).digest('base64');

  const forget = (now: number) => {
    for (const [name, { until, bytes }] of unwrapped) {
      if (until > now && unwrapped.size < MOST) break;
      bytes.fill(0);
      unwrapped.delete(name);
    }
  };
  return {
    id: key.id,
    wrap: (bytes, associated) => key.wrap(bytes, associated),
    async unwrap(wrapped, associated) {
      const name = nameOf(wrapped, associated);
      const now = time.now();
      const known = unwrapped.get(name);
      // A copy each time, since what is forgotten is overwritten.
      if (known !== undefined && known.until > now) return Uint8Array.from(known.bytes);
      const bytes = await key.unwrap(wrapped, associated);
      unwrapped.delete(name);
      forget(now);
      unwrapped.set(name, { bytes: Uint8Array.from(bytes), until: now + milliseconds });
      return bytes;
    },
  };
}
