import { layerEndpoint, type Time, timeoutSignal } from '@payouts/client';
import { request } from 'undici';
import { AttestationError } from '../../domain/attestationErrors.ts';

/** Milliseconds for a whole answer. */
const TIMEOUT_MS = 10_000;

/** Asks a private execution layer for a quote over a challenge of 32 bytes. Throws `AttestationError` `quote-unavailable`. */
export type AskForQuote = (challenge: Uint8Array) => Promise<Uint8Array>;

/** `GET /quote?challenge=`, as @magicblock-labs/ephemeral-rollups-sdk 0.8.8 asks it. */
export const quoteEndpoint =
  (rpcUrl: string, { signal, time }: { readonly signal: AbortSignal; readonly time: Time }): AskForQuote =>
  async (challenge) => {
    try {
      const url = layerEndpoint(rpcUrl, '/quote', { challenge: Buffer.from(challenge).toString('base64') });
      const inTime = AbortSignal.any([signal, timeoutSignal(time, TIMEOUT_MS)]);
      const { statusCode, body } = await request(url, { signal: inTime });
      const { quote } = (await body.json()) as { readonly quote?: unknown };
      if (statusCode !== 200 || typeof quote !== 'string' || quote === '') throw new Error('no quote');
      return Buffer.from(quote, 'base64');
    } catch (cause) {
      throw new AttestationError('quote-unavailable', 'The execution layer gave no quote.', { cause });
    }
  };
