import { type Address, getBase58Decoder } from '@solana/kit';
import { request } from 'undici';
import { AttestationError } from './attestationError.ts';

/** Milliseconds for an answer. */
const TIMEOUT_MS = 10_000;
/** A text to be signed can't be a transaction's message, which begins with bytes below these. */
const PRINTABLE = /^[\x20-\x7e]{16,512}$/;

/** Whoever signs in; `signText` signs the UTF-8 bytes of a printable text. */
export type TextSigner = { readonly address: Address; readonly signText: (text: string) => Promise<Uint8Array> };

/** A token and until when it is good, unix milliseconds; undefined: the endpoint doesn't say. */
export type Token = { readonly token: string; readonly expiresAt: number | undefined };

/** The endpoint refused a sign-in (`status` 400 to 499), is not there, or answered with something else. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
  readonly isRefused: boolean;

  constructor(isRefused: boolean, options: ErrorOptions) {
    super(isRefused ? 'The execution layer refused the sign-in.' : 'The execution layer took no sign-in.', options);
    this.isRefused = isRefused;
  }
}

class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/**
 * What a private execution layer answers besides its RPC: `GET /quote?challenge=`, `GET /auth/challenge?pubkey=`, `POST /auth/login`, as
 * @magicblock-labs/ephemeral-rollups-sdk 0.8.8 asks them.
 */
export class TeeEndpoint {
  readonly #url: URL;
  readonly #signal: AbortSignal;

  constructor(url: string, signal: AbortSignal) {
    this.#url = new URL(url);
    this.#signal = signal;
  }

  /** Asks for a quote over a challenge of 32 bytes. Throws `AttestationError` `quote-unavailable`. */
  async quote(challenge: Uint8Array): Promise<Uint8Array> {
    try {
      const { quote } = await this.#ask('GET', '/quote', { challenge: Buffer.from(challenge).toString('base64') });
      if (typeof quote !== 'string' || quote === '') throw new Error('no quote');
      return Buffer.from(quote, 'base64');
    } catch (cause) {
      throw new AttestationError('quote-unavailable', 'The execution layer gave no quote.', { cause });
    }
  }

  /** Signs in with a ledger key. Throws `SignInFailed`. */
  async signIn({ address, signText }: TextSigner): Promise<Token> {
    try {
      const { challenge } = await this.#ask('GET', '/auth/challenge', { pubkey: address });
      if (typeof challenge !== 'string' || !PRINTABLE.test(challenge)) throw new Error('no text to sign');
      const signature = getBase58Decoder().decode(await signText(challenge));
      const { token, expiresAt } = await this.#ask('POST', '/auth/login', { pubkey: address, challenge, signature });
      if (typeof token !== 'string' || token === '') throw new Error('no token');
      return { token, expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined };
    } catch (cause) {
      const isRefused = cause instanceof Unanswered && cause.status >= 400 && cause.status < 500;
      throw new SignInFailed(isRefused, { cause });
    }
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    input: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>> {
    const url = new URL(this.#url);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
    if (method === 'GET') url.search = new URLSearchParams(input).toString();
    const { statusCode, body } = await request(url, {
      method,
      signal: this.#signal,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      ...(method === 'POST' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      }),
    });
    if (statusCode !== 200) {
      await body.dump();
      throw new Unanswered(statusCode);
    }
    return (await body.json()) as Record<string, unknown>;
  }
}
