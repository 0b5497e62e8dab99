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

/** Conversions remembered; when there are so many, all are forgotten. */
const REMEMBERED = 10_000;
const addressesByBytes = new Map<string, Address>();
const bytesByAddress = new Map<Address, Uint8Array>();

/** 32 bytes as an address. */
export function toAddress(bytes: Uint8Array): Address {
  // Base58 costs more than anything else in a call, and the same few addresses come again and again.
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return remember(addressesByBytes, key, () => addressDecoder.decode(bytes));
}

/** The 32 bytes of an address; not to be written to. */
export function addressBytes(address: Address): Uint8Array {
  return remember(bytesByAddress, address, () => new Uint8Array(addressEncoder.encode(address)));
}

function remember<K, V>(known: Map<K, V>, key: K, compute: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= REMEMBERED) known.clear();
  const value = compute();
  known.set(key, value);
  return value;
}
