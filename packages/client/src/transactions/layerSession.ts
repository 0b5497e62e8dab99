import { type Address, getBase58Decoder, type MessagePartialSigner } from '@solana/kit';
import { ClientError } from '../http/clientError.ts';
import { type Time, timeoutSignal } from '../time.ts';

/** Milliseconds for an answer. */
const TIMEOUT_MS = 10_000;
/** A text to be signed can't be a ledger's transaction, which begins with bytes below these. It has one line. */
const PRINTABLE = /^[\x20-\x7e]{16,512}$/;
/** How everything begins that people sign for this project, requests over HTTP with a quote: no layer gets a signature of that. */
const OUR_OWN = /^(?:payout|")/i;
/** Part of a token's life after which it is renewed, and how long one counts whose end is not told; milliseconds. */
const RENEW_AFTER = 0.8;
const UNTOLD_LIFE_MS = 300_000;

/** A private execution layer let nobody in; `isRefused`: it said no, instead of being gone or saying something else. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
  readonly isRefused: boolean;

  constructor(isRefused: boolean, options: ErrorOptions = {}) {
    super(isRefused ? 'The execution layer refused the sign-in.' : 'The execution layer took no sign-in.', options);
    this.isRefused = isRefused;
  }
}

/** A token and until when it is good, unix milliseconds; undefined: the layer doesn't say. */
export type LayerToken = { readonly token: string; readonly expiresAt: number | undefined };

/** Whoever the layer is to know by a ledger key. */
export type LayerGuest = MessagePartialSigner;

/** An endpoint of a layer beside its RPC, such as `/auth/login`. */
export function layerEndpoint(rpcUrl: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(rpcUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  return url;
}

class Unanswered extends Error {
  override readonly name = 'Unanswered';

  constructor(readonly status: number) {
    super(`HTTP ${status}`);
  }
}

async function ask(url: URL, { time, signal }: SignInOptions, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    signal: AbortSignal.any([timeoutSignal(time, TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
    ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Unanswered(response.status);
  return (await response.json()) as Record<string, unknown>;
}

/** How a sign-in waits for its answers. */
export type SignInOptions = {
  /** By which an answer is waited for. */
  readonly time: Time;
  readonly signal?: AbortSignal;
};

/**
 * Signs in to a private execution layer: `GET /auth/challenge?pubkey=`, then `POST /auth/login` with the signed text, as
 * @magicblock-labs/ephemeral-rollups-sdk 0.8.8 does. Throws `SignInFailed`.
 */
export async function signInToLayer(rpcUrl: string, guest: LayerGuest, options: SignInOptions): Promise<LayerToken> {
  const pubkey = guest.address;
  try {
    const { challenge } = await ask(layerEndpoint(rpcUrl, '/auth/challenge', { pubkey }), options);
    if (typeof challenge !== 'string' || !PRINTABLE.test(challenge) || OUR_OWN.test(challenge)) {
      throw new Error('no text to sign');
    }
    const signature = getBase58Decoder().decode(await signed(guest, challenge));
    const answer = await ask(layerEndpoint(rpcUrl, '/auth/login'), options, { pubkey, challenge, signature });
    const { token, expiresAt } = answer;
    if (typeof token !== 'string' || token === '') throw new Error('no token');
    return { token, expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined };
  } catch (cause) {
    const isRefused = cause instanceof Unanswered && cause.status >= 400 && cause.status < 500;
    throw new SignInFailed(isRefused, { cause });
  }
}

async function signed(guest: LayerGuest, text: string): Promise<Uint8Array> {
  const [signatures] = await guest.signMessages([{ content: new TextEncoder().encode(text), signatures: {} }]);
  const signature = signatures?.[guest.address as Address];
  if (signature === undefined) throw new ClientError('SIGNATURE_MISSING', 'The signer did not sign the text.');
  return signature;
}

export type LayerSessionInput = {
  readonly signIn: () => Promise<LayerToken>;
  readonly time: Pick<Time, 'now'>;
  /** Whether an error of a call says that its token is no good. */
  readonly isRefused: (error: unknown) => boolean;
};

type Current = { readonly token: Promise<string>; renewAt: number };

/** A signed-in session with a private execution layer. Its token is renewed before it ends, once for all who call meanwhile. */
export class LayerSession {
  #current: Current | undefined;

  constructor(private readonly input: LayerSessionInput) {}

  /**
   * Calls the layer's RPC with the token in its address, where the layer looks for it. A token that is refused is replaced by a new one, once.
   * Throws `SignInFailed`, and what `call` throws.
   */
  async within<T>(rpcUrl: string, call: (url: string) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { value, of } = await this.#token();
      try {
        return await call(withToken(rpcUrl, value));
      } catch (error) {
        if (!this.input.isRefused(error)) throw error;
        if (this.#current === of) this.#current = undefined;
        if (tries === 2) throw new SignInFailed(true, { cause: error });
      }
    }
  }

  async #token(): Promise<{ readonly value: string; readonly of: Current }> {
    if (this.#current === undefined || this.input.time.now() >= this.#current.renewAt) this.#current = this.#begin();
    const of = this.#current;
    return { value: await of.token, of };
  }

  #begin(): Current {
    const began = this.input.time.now();
    const token = this.input.signIn().then(
      ({ token, expiresAt }) => {
        const life = (expiresAt ?? began + UNTOLD_LIFE_MS) - began;
        current.renewAt = began + Math.max(0, life * RENEW_AFTER);
        return token;
      },
      (error: unknown) => {
        if (this.#current === current) this.#current = undefined;
        throw error;
      },
    );
    const current: Current = { token, renewAt: Number.POSITIVE_INFINITY };
    return current;
  }
}

function withToken(rpcUrl: string, token: string): string {
  const url = new URL(rpcUrl);
  url.searchParams.set('token', token);
  return url.toString();
}
