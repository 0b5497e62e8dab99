/** Lamports of an ephemeral account: 32 for each byte and for 60 beside. */
const rentOf = (bytes: number): bigint => 32n * BigInt(bytes + 60);

/** Bytes of a page of balances, and of a personal account for so many withdrawals at a time. */
export const PAGE_BYTES = 536 + 240 * 40;
export const personalBytes = (withdrawals = 16): number => 312 + 64 * withdrawals;

/** What they cost, lamports. */
export const PAGE_RENT = rentOf(PAGE_BYTES);
/** All pages of the bitmap of so many recipients. */
export const bitmapRent = (recipients: number): bigint =>
  Array.from({ length: Math.ceil(recipients / 65_536) }, (_, number) => {
    const bits = Math.min(65_536, recipients - 65_536 * number);
    return rentOf(48 + Math.ceil(bits / 8));
  }).reduce((sum, rent) => sum + rent, 0n);
export const personalRent = (withdrawals?: number): bigint => rentOf(personalBytes(withdrawals));
