import type { Address } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { ClientError } from '../http/clientError.ts';
import { sha256 } from './hash.ts';
import { MAX_LEAVES } from './limits.ts';

/** Withdrawal numbers in one page, and liability leaves in one redeemed page. */
export const PAGE_NUMBERS = 8_192n;

/** Recipients whose bits stand in one page of a window's bitmap. */
export const BITMAP_PAGE_BITS = 65_536;

/** Bytes of the bitmap of a window of so many recipients. */
export function bitmapSize(recipients: number): number {
  return Math.ceil(recipients / 8);
}

/** Whether bit `index` is set: recipient `index` is paid or held back. Throws `INVALID_BITMAP` for an index beyond it. */
export function isBitSet(bitmap: ArrayLike<number>, index: number): boolean {
  const byte = Number.isInteger(index) && index >= 0 ? bitmap[Math.floor(index / 8)] : undefined;
  if (byte === undefined) throw new ClientError('INVALID_BITMAP', `The bitmap has no bit ${index}.`);
  return ((byte >> (index % 8)) & 1) === 1;
}

/** How many bits are set. */
export function countBits(bitmap: ArrayLike<number>): number {
  let count = 0;
  for (let place = 0; place < bitmap.length; place++) {
    for (let byte = bitmap[place] as number; byte > 0; byte &= byte - 1) count++;
  }
  return count;
}

/** Indexes below `recipients` that are neither paid nor held back, ascending. Throws `INVALID_BITMAP` if the bitmap is too short. */
export function unpaidIndexes(bitmap: ArrayLike<number>, recipients: number): number[] {
  const unpaid: number[] = [];
  for (let index = 0; index < recipients; index++) if (!isBitSet(bitmap, index)) unpaid.push(index);
  return unpaid;
}

/** H(0x03 ‖ schedule 32 ‖ window u64 ‖ bitmap): what a batch commits to about who was paid. */
export function bitmapHash(input: { schedule: Address; window: bigint; bitmap: ArrayLike<number> }): Uint8Array {
  const bytes = new Uint8Array(41 + input.bitmap.length);
  bytes[0] = 3;
  bytes.set(addressToBytes(input.schedule), 1);
  new DataView(bytes.buffer).setBigUint64(33, input.window, true);
  bytes.set(input.bitmap, 41);
  return sha256(bytes);
}

const RUN = /^([0-9a-f]{2})(?:\*([1-9][0-9]{0,5}))?$/;
/** Bytes of the longest bitmap. */
const MAX_BYTES = bitmapSize(MAX_LEAVES);

/** A bitmap as text: its bytes in hexadecimal, `ff*12` for twelve the same; nearly all are. */
export function bitmapToText(bitmap: Uint8Array): string {
  const runs: string[] = [];
  for (let from = 0; from < bitmap.length; ) {
    let end = from + 1;
    while (bitmap[end] === bitmap[from]) end++;
    const byte = (bitmap[from] as number).toString(16).padStart(2, '0');
    runs.push(end - from === 1 ? byte : `${byte}*${end - from}`);
    from = end;
  }
  return runs.join(' ');
}

/** The bitmap that `bitmapToText` wrote; undefined for anything else. */
export function bitmapFromText(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length > 4 * MAX_BYTES) return undefined;
  const bytes: number[] = [];
  for (const run of text.split(' ')) {
    const [, byte, count = '1'] = RUN.exec(run) ?? [];
    if (byte === undefined || bytes.length + Number(count) > MAX_BYTES) return undefined;
    for (let left = Number(count); left > 0; left--) bytes.push(Number.parseInt(byte, 16));
  }
  const bitmap = Uint8Array.from(bytes);
  return bitmapToText(bitmap) === text ? bitmap : undefined;
}

/** Where a withdrawal's number stands: the page's number and the bit in its bitmap. */
export function placeOfWithdrawal(number: bigint): { page: number; bit: number } {
  return { page: Number(number / PAGE_NUMBERS), bit: Number(number % PAGE_NUMBERS) };
}

/** Where a leaf of the liabilities tree stands: the redeemed page's number and the bit in its bitmap. */
export function placeOfLiabilityLeaf(index: number): { page: number; bit: number } {
  return placeOfWithdrawal(BigInt(index));
}
