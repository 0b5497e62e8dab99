import { signRequest } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';
import { Failure } from './failure.ts';

/** A signed read of the coordinator; undefined where it answers that there is no such thing. Throws `Failure` with its code. */
export async function readPrivately<T>(api: string, path: string, signer: KeyPairSigner): Promise<T | undefined> {
  const url = new URL(path, api);
  return answered(api, fetch(url, { headers: await signRequest({ signer, url }) }));
}

/** An open read of the coordinator, likewise. */
export function readPublicly<T>(api: string, path: string): Promise<T | undefined> {
  return answered(api, fetch(new URL(path, api)));
}

async function answered<T>(api: string, asked: Promise<Response>): Promise<T | undefined> {
  let response: Response;
  try {
    response = await asked;
  } catch (cause) {
    throw new Failure(
      'coordinator-unavailable',
      `The coordinator at ${api} can't be reached: is it running, and is --api its address?`,
      { cause },
    );
  }
  if (response.ok) return (await response.json()) as T;
  if (response.status === 404) {
    // An answer that is not read keeps its connection, and a coordinator that stops waits for it.
    await response.body?.cancel();
    return undefined;
  }
  const problem = (await response.json().catch(() => ({}))) as { code?: string; title?: string; detail?: string };
  const message = problem.detail ?? problem.title ?? `The coordinator answered ${response.status}.`;
  throw new Failure(problem.code ?? 'coordinator-refused', message);
}
