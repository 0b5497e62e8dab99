import { signRequest, systemTime } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';

/** Reads from the API as somebody who signs for it. */
export const readSigned = async (signer: KeyPairSigner, url: string): Promise<Response> =>
  fetch(url, { headers: await signRequest({ signer, url, time: systemTime }) });
