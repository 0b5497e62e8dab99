import { getBase16Decoder, type ReadonlyUint8Array } from '@solana/kit';

/** Bytes as hexadecimal digits. */
export const hexOf = (bytes: ReadonlyUint8Array): string => getBase16Decoder().decode(bytes);
