import { RunError } from '../domain/errors.ts';
import { HttpFailure } from '../ledger/rpcCall.ts';
import type { Time } from '../time.ts';
import { SignInFailed, type TextSigner, type Token } from './endpoint.ts';

/** Part of a token's life after which it is renewed, and how long one counts whose end is not told; milliseconds. */
const RENEW_AFTER = 0.8;
const UNTOLD_LIFE_MS = 300_000;

type Current = { readonly token: Promise<string>; renewAt: number };

/** A signed-in session with a private execution layer. Its token is renewed before it ends, once for all who ask meanwhile. */
export class Session {
  readonly #endpoint: { readonly signIn: (signer: TextSigner) => Promise<Token> };
  readonly #signer: TextSigner;
  readonly #time: Pick<Time, 'now'>;
  #current: Current | undefined;

  constructor(
    endpoint: { readonly signIn: (signer: TextSigner) => Promise<Token> },
    signer: TextSigner,
    time: Pick<Time, 'now'>,
  ) {
    this.#endpoint = endpoint;
    this.#signer = signer;
    this.#time = time;
  }

  /**
   * Calls the layer's RPC with the token in its address, where the layer looks for it. A token that is refused is replaced by a new one, once.
   * Throws `RunError` `layer-sign-in-refused`, and what `call` throws.
   */
  async within<T>(url: string, call: (url: string) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { value, of } = await this.#token();
      try {
        return await call(withToken(url, value));
      } catch (error) {
        if (!isRefused(error)) throw error;
        if (this.#current === of) this.#current = undefined;
        if (tries === 2) throw refusal(error);
      }
    }
  }

  async #token(): Promise<{ readonly value: string; readonly of: Current }> {
    if (this.#current === undefined || this.#time.now() >= this.#current.renewAt) this.#current = this.#begin();
    const of = this.#current;
    return { value: await of.token, of };
  }

  #begin(): Current {
    const began = this.#time.now();
    const token = this.#endpoint.signIn(this.#signer).then(
      ({ token, expiresAt }) => {
        const life = (expiresAt ?? began + UNTOLD_LIFE_MS) - began;
        current.renewAt = began + Math.max(0, life * RENEW_AFTER);
        return token;
      },
      (error: unknown) => {
        if (this.#current === current) this.#current = undefined;
        throw error instanceof SignInFailed && error.isRefused ? refusal(error) : error;
      },
    );
    const current: Current = { token, renewAt: Number.POSITIVE_INFINITY };
    return current;
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof HttpFailure && (error.status === 401 || error.status === 403);

const refusal = (cause: unknown): RunError =>
  new RunError('layer-sign-in-refused', 'The execution layer does not let the execution authority in.', { cause });

function withToken(url: string, token: string): string {
  const signed = new URL(url);
  signed.searchParams.set('token', token);
  return signed.toString();
}
