import { layerEndpoint } from '@payouts/client';
import { request } from 'undici';
import { AttestationError } from '../../domain/attestationErrors.ts';

/** Milliseconds for an answer. */
const TIMEOUT_MS = 10_000;

/** Asks a private execution layer for a quote over a challenge of 32 bytes. Throws `AttestationError` `quote-unavailable`. */
export type AskForQuote = (challenge: Uint8Array) => Promise<Uint8Array>;

/** `GET /quote?challenge=`, as @magicblock-labs/ephemeral-rollups-sdk 0.8.8 asks it. */
export const quoteEndpoint =
  (rpcUrl: string, signal: AbortSignal): AskForQuote =>
  async (challenge) => {
    try {
      const url = layerEndpoint(rpcUrl, '/quote', { challenge: Buffer.from(challenge).toString('base64') });
      const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
      const { statusCode, body } = await request(url, { signal, ...timeouts });
      const { quote } = (await body.json()) as { readonly quote?: unknown };
      if (statusCode !== 200 || typeof quote !== 'string' || quote === '') throw new Error('no quote');
      return Buffer.from(quote, 'base64');
    } catch (cause) {
      throw new AttestationError('quote-unavailable', 'The execution layer gave no quote.', { cause });
    }
  };
