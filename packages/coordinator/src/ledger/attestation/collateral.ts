import { createHash } from 'node:crypto';
import type { Time } from '@payouts/client';
import { type Collateral, getCollateral, Quote } from '@phala/dcap-qvl';
import { LRUCache } from 'lru-cache';
import { AttestationError } from '../../domain/attestationErrors.ts';
import { withTimeout } from '../../platform/withTimeout.ts';

/** Milliseconds for all answers together. */
const TIMEOUT_MS = 20_000;
/** Platforms remembered; the one that was asked for longest ago gives way. */
const MOST = 32;

/**
 * Gives what a processor's maker says of the platform that made a quote, and said at most `maxAgeMs` ago; `now` in unix milliseconds. Throws
 * `AttestationError`.
 */
export type FindCollateral = (quote: Uint8Array, now: number, maxAgeMs: number) => Promise<Collateral>;

/**
 * Asks the maker, or a cache of what it says (a PCCS); when it does not answer, what it said last counts for as long as the maker itself has
 * dated it.
 */
export function collateralFrom(url: string, time: Time): FindCollateral {
  const remembered = new LRUCache<string, { readonly at: number; readonly collateral: Collateral }>({ max: MOST });
  return async (quote, now, maxAgeMs) => {
    const platform = platformOf(quote);
    const known = remembered.peek(platform);
    if (known !== undefined && now - known.at < maxAgeMs) return known.collateral;
    try {
      const collateral = await withTimeout(time, TIMEOUT_MS, getCollateral(url, Buffer.from(quote)));
      if (collateral === undefined) throw new DOMException('Timed out.', 'TimeoutError');
      remembered.set(platform, { at: now, collateral });
      return collateral;
    } catch (cause) {
      if (known !== undefined) return known.collateral;
      throw new AttestationError('collateral-unavailable', "The maker of the processor's platforms does not answer.", {
        cause,
      });
    }
  };
}

/** A name for the platform whose certificates a quote carries. */
function platformOf(quote: Uint8Array): string {
  try {
    return createHash('sha256')
      .update(Quote.parse(Buffer.from(quote)).rawCertChain())
      .digest('base64');
  } catch (cause) {
    throw new AttestationError('quote-invalid', 'What the execution layer gave is no quote.', { cause });
  }
}
