import { createHash } from 'node:crypto';
import type { Time } from '@payouts/client';
import { LRUCache } from 'lru-cache';
import type { PayloadKey } from './payloadKeys.ts';

/** Data keys remembered. */
const MOST = 1_000;

/** Remembers for some milliseconds what a key service has unwrapped, so that a run does not wait for it again and again. */
export function cachedFor(milliseconds: number, key: PayloadKey, time: Pick<Time, 'now'>): PayloadKey {
  const unwrapped = new LRUCache<string, Uint8Array>({
    max: MOST,
    ttl: milliseconds,
    // Every look asks the clock; else the library would keep a timer of its own.
    ttlResolution: 0,
    perf: time,
    dispose: (bytes) => bytes.fill(0),
  });
  const nameOf = (wrapped: Uint8Array, associated: Uint8Array) =>
    createHash('sha256').update(`${wrapped.length} `).update(wrapped).update(associated).digest('base64');

  return {
    id: key.id,
    wrap: (bytes, associated) => key.wrap(bytes, associated),
    async unwrap(wrapped, associated) {
      const name = nameOf(wrapped, associated);
      const known = unwrapped.get(name);
      // A copy each time, since what is forgotten is overwritten.
      if (known !== undefined) return Uint8Array.from(known);
      const bytes = await key.unwrap(wrapped, associated);
      unwrapped.purgeStale();
      unwrapped.set(name, Uint8Array.from(bytes));
      return bytes;
    },
  };
}
