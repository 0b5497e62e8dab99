import { addressFromBytes } from '@payouts/client';
import { type Address, getBase58Decoder, type Signature } from '@solana/kit';

/** An instruction of a transaction that was sent. */
export type SentInstruction = {
  readonly program: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
};

/** A transaction as it arrives at a ledger. */
export type SentTransaction = {
  readonly signature: Signature;
  readonly feePayer: Address;
  readonly blockhash: Uint8Array;
  readonly instructions: readonly SentInstruction[];
};

const base58 = getBase58Decoder();
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const HEADER_BYTES = 3;

/** Reads a signed legacy transaction from base 64. */
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
  const signatures = length();
  const signature = base58.decode(take(SIGNATURE_BYTES)) as Signature;
  offset += (signatures - 1) * SIGNATURE_BYTES + HEADER_BYTES;
  const keys = Array.from({ length: length() }, () => addressFromBytes(take(KEY_BYTES)));
  const keyAt = (place: number) => keys[place] as Address;
  const blockhash = take(KEY_BYTES);
  const instructions = Array.from({ length: length() }, (): SentInstruction => {
    const program = keyAt(bytes[offset++] as number);
    const accounts = Array.from(take(length()), keyAt);
    return { program, accounts, data: take(length()) };
  });
  return { signature, feePayer: keyAt(0), blockhash, instructions };
}
