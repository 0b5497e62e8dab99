/** Lamports of an ephemeral account: 32 for each byte and for 60 beside. */
const rentOf = (bytes: number): bigint => 32n * BigInt(bytes + 60);

/** Bytes of a page of balances, and of a personal account for so many withdrawals at a time. */
export const PAGE_BYTES = 56 + 254 * 40;
export const personalBytes = (withdrawals = 16): number => 312 + 64 * withdrawals;

/** What they cost, lamports. */
export const PAGE_RENT = rentOf(PAGE_BYTES);
export const personalRent = (withdrawals?: number): bigint => rentOf(personalBytes(withdrawals));
