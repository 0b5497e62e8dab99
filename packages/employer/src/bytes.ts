/** Whether two byte strings are the same. */
export const areEqual = (one: ArrayLike<number>, other: ArrayLike<number>): boolean =>
  one.length === other.length && Array.from(one).every((byte, at) => byte === other[at]);

/** Bytes as hexadecimal digits. */
export const hexOf = (bytes: ArrayLike<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
