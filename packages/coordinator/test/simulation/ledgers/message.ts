import { addressFromBytes, signatureFromBytes } from '@payouts/client';
import type { Wire } from '@payouts/testing/litesvm/message';
import type { Address, Instruction, Signature } from '@solana/kit';

/** A transaction as it arrives at a ledger. */
export type SentTransaction = Wire & {
  readonly signature: Signature;
  readonly blockhash: Uint8Array;
  readonly instructions: readonly (Instruction & { readonly data: Uint8Array })[];
};

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const HEADER_BYTES = 3;
/** The bits of an account's role, as kit counts them. */
const SIGNER = 2;
const WRITABLE = 1;

/** The first signature of a transaction in base 64, which stands behind a byte that says how many there are. */
export function signatureOf(wire: string): Signature {
  return signatureFromBytes(Buffer.from(wire.slice(0, 88), 'base64').subarray(1, 1 + SIGNATURE_BYTES));
}

/** Reads a signed legacy transaction from base 64. By hand: kit's decoders took 2.9 of a simulation's 11.4 s. */
export function readTransaction(wire: string): SentTransaction {
  const bytes = new Uint8Array(Buffer.from(wire, 'base64'));
  let offset = 0;
  const take = (size: number) => {
    offset += size;
    return bytes.subarray(offset - size, offset);
  };
  /** A length in the ledger's compact form: seven bits a byte, least significant first. */
  const length = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[offset++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  offset = length() * SIGNATURE_BYTES + 1;
  const [signers, readOnlySigners, readOnlyOthers] = take(HEADER_BYTES) as Uint8Array & [number, number, number];
  const keys = Array.from({ length: length() }, () => addressFromBytes(take(KEY_BYTES)));
  const keyAt = (place: number) => keys[place] as Address;
  const isWritable = (place: number) =>
    place < signers ? place < signers - readOnlySigners : place < keys.length - readOnlyOthers;
  const roleAt = (place: number) => (place < signers ? SIGNER : 0) + (isWritable(place) ? WRITABLE : 0);
  const blockhash = take(KEY_BYTES);
  const instructions = Array.from({ length: length() }, () => {
    const programAddress = keyAt(bytes[offset++] as number);
    const accounts = Array.from(take(length()), (place) => ({ address: keyAt(place), role: roleAt(place) }));
    return { programAddress, accounts, data: take(length()) };
  });
  const writable = keys.filter((_, place) => isWritable(place));
  return { bytes, keys, writable, signature: signatureOf(wire), blockhash, instructions };
}
