/** Joins byte sequences. */
export function concatenate(parts: readonly ArrayLike<number>[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Which of two comes first, byte by byte: below 0, 0 or above. */
export function compareBytes(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const length = Math.min(one.length, other.length);
  for (let place = 0; place < length; place++) {
    const difference = (one[place] as number) - (other[place] as number);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Whether two are the same, byte by byte. */
export const isSameBytes = (one: ArrayLike<number>, other: ArrayLike<number>): boolean =>
  compareBytes(one, other) === 0;

/** Bytes that are made text at a time: a call takes so many arguments at most. */
const SLICE = 8_192;

/** A character for each byte. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += SLICE) {
    // Spreading them would take ten times as long.
    text += String.fromCharCode.apply(null, bytes.subarray(from, from + SLICE) as unknown as number[]);
  }
  return text;
}
