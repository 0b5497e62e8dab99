import { signRequest, systemTime } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';
import { untilAnswered } from './patience.ts';

/** Reads from the API as somebody who signs for it. */
export const readSigned = async (signer: KeyPairSigner, url: string): Promise<Response> =>
  fetch(url, { headers: await signRequest({ signer, url, time: systemTime }) });

/** The same until there is an answer, signed anew each time: a signature is good once. */
export const readSignedPatiently = (signer: KeyPairSigner, url: string): Promise<Response> =>
  untilAnswered(() => readSigned(signer, url));
