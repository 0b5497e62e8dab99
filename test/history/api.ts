import { ApiFailed, signRequest, systemTime, TransactionFailed } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';
import type { Ending } from './record.ts';

/** Milliseconds that a client waits for an answer. */
const PATIENCE_MS = 10_000;

/** What a coordinator answered when it did not do what was asked. */
class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`${status} ${code}`);
  }
}

type Asking = { readonly signer?: KeyPairSigner; readonly body?: unknown };

/** Asks a coordinator. Throws `Refused`, or what the connection throws. */
export async function ask<T>(url: string, { signer, body }: Asking = {}): Promise<{ status: number; body: T }> {
  const signed = signer === undefined ? {} : await signRequest({ signer, url, time: systemTime });
  const sent =
    body === undefined
      ? { headers: { ...signed } }
      : { method: 'POST', headers: { ...signed, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, { ...sent, signal: AbortSignal.timeout(PATIENCE_MS) });
  const answer = (await response.json()) as T & { readonly code?: string };
  if (!response.ok) throw new Refused(response.status, answer.code ?? 'unknown');
  return { status: response.status, body: answer };
}

/** What a call about a schedule answers; null where there is no such schedule. */
export async function ifThere<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Refused && error.code === 'schedule-not-found') return null;
    throw error;
  }
}

const BUSY: readonly (number | undefined)[] = [408, 429];

/** Whether a call that threw has come to nothing: a coordinator or a ledger has said so. */
export function endingOf(error: unknown): Ending {
  if (error instanceof TransactionFailed) return 'fail';
  const status = error instanceof Refused || error instanceof ApiFailed ? error.status : undefined;
  return status !== undefined && status >= 400 && status < 500 && !BUSY.includes(status) ? 'fail' : 'unknown';
}
