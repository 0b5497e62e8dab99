import { getBase58Decoder } from '@solana/kit';
import { Finder, type Form } from './finder.ts';

const formOf = (bytes: Buffer): Form => ({ bytes, isNumber: false });

/** Characters at the ends of base64 that depend on the bytes before and after. */
const PAD = 3;
/** Entries of bytes written as an object, which is what JSON makes of them. */
const ENTRIES = 12;

/** Bytes in base64 wherever they stand in something longer: at each of the three places in a group, without the ends. */
function base64Inside(bytes: Uint8Array, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(PAD)]).toString(encoding);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(first, last);
  });
}

/** Every form in which bytes may turn up: as they are, and as programs write bytes. */
export function formsOfBytes(bytes: Uint8Array): Form[] {
  const hex = Buffer.from(bytes).toString('hex');
  const entries = [...bytes].slice(0, ENTRIES).map((byte, place) => `"${place}":${byte}`);
  const texts = [
    hex,
    hex.toUpperCase(),
    getBase58Decoder().decode(bytes),
    bytes.join(','),
    bytes.join(', '),
    entries.join(','),
    ...base64Inside(bytes, 'base64'),
    ...base64Inside(bytes, 'base64url'),
  ];
  return [Buffer.from(bytes), ...[...new Set(texts)].map((text) => Buffer.from(text))].map(formOf);
}

/** Every form of a text: as bytes, in an address, and as old programs write letters. */
export const formsOfText = (text: string): Form[] => [
  ...formsOfBytes(Buffer.from(text)),
  formOf(Buffer.from(encodeURIComponent(text))),
  formOf(Buffer.from(text, 'utf16le')),
];

/** Digits that an amount has at least so that it turns up nowhere by chance. */
const AMOUNT_DIGITS = 10;

/** Every form of an amount: decimal, and as 64 bits in either order. None if it is small, or round enough to turn up by chance in much. */
export function formsOfAmount(amount: bigint, roundness = 1_000n): Form[] {
  const text = String(amount);
  if (text.length < AMOUNT_DIGITS || amount % roundness === 0n) return [];
  const little = Buffer.alloc(8);
  little.writeBigUInt64LE(amount);
  const big = Buffer.from(little).reverse();
  const others = [little, big, Buffer.from(little.toString('hex')), Buffer.from(big.toString('hex'))];
  return [{ bytes: Buffer.from(text), isNumber: true }, ...others.map(formOf)];
}

/** Every form of a recorded secret: hexadecimal digits, or an amount. */
export const formsOf = (what: string, text: string): Form[] =>
  what === 'amount' ? formsOfAmount(BigInt(text)) : formsOfBytes(Buffer.from(text, 'hex'));

/** Looks for secrets in every form. */
export function finderOf(secrets: Iterable<readonly [what: string, text: string]>): Finder {
  const finder = new Finder();
  for (const [what, text] of secrets) for (const form of formsOf(what, text)) finder.add(form, what);
  return finder;
}
