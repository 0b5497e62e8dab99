import { type Address, getAddressDecoder, getAddressEncoder, getBase58Decoder, getBase58Encoder } from '@solana/kit';

const textDecoder = getBase58Decoder();
const textEncoder = getBase58Encoder();
const addressDecoder = getAddressDecoder();
const addressEncoder = getAddressEncoder();

/** Bytes as base58 text. */
export function toBase58(bytes: Uint8Array): string {
  return textDecoder.decode(bytes);
}

/** The bytes of base58 text; throws when it is none. */
export function fromBase58(text: string): Uint8Array {
  return new Uint8Array(textEncoder.encode(text));
}

/** 32 bytes as an address. */
export function toAddress(bytes: Uint8Array): Address {
  return addressDecoder.decode(bytes);
}

/** The 32 bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  return new Uint8Array(addressEncoder.encode(address));
}
