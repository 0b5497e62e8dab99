import { addressFromBytes } from '@payouts/client';
import type { Blockhash } from '@solana/kit';

const BYTES = 32;

/** A blockhash that tells its block's height, so that none need be remembered. */
export function blockhashOf(height: bigint): Blockhash {
  const bytes = new Uint8Array(BYTES).fill(1);
  new DataView(bytes.buffer).setBigUint64(0, height, true);
  return addressFromBytes(bytes) as string as Blockhash;
}

/** The height that a blockhash tells. */
export function heightOf(blockhash: Uint8Array): bigint {
  return new DataView(blockhash.buffer, blockhash.byteOffset).getBigUint64(0, true);
}
