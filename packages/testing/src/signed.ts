import { signRequest, systemTime } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';

/** Tries of what can't be answered while a database or ledger stands still; each takes the API some seconds. */
const READS = 10;

/** Reads from the API as somebody who signs for it: anew each time, since a signature is good once. */
export async function readSigned(signer: KeyPairSigner, url: string): Promise<Response> {
  for (let reads = 1; ; reads += 1) {
    const response = await fetch(url, { headers: await signRequest({ signer, url, time: systemTime }) });
    if (response.status !== 503 || reads === READS) return response;
    await response.body?.cancel();
  }
}
