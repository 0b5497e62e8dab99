/** What may be paid for a transaction's place beside the fee for its signatures: micro-lamports for each compute unit. */
export type FeePolicy = { readonly floor: bigint; readonly cap: bigint };

/**
 * Nothing where nobody else pays, and half a lamport a unit at most: a window's opening and its share of a settlement may use 300,000
 * units, so 0.00015 SOL.
 */
export const DEFAULT_FEES: FeePolicy = { floor: 0n, cap: 500_000n };

/** Of recent slots, how many count, and the share of them that a bid would have got into. */
const SLOTS = 20;
const SHARE = 0.9;
/** What is bid anew where nobody seems to pay, micro-lamports a unit. */
const FIRST_STEP = 1_000n;
/** Of what a simulation used, in percent: another state of the ledger may take a little more. */
const UNITS_PERCENT = 110;
const MICRO_LAMPORTS = 1_000_000n;

/** A bid in micro-lamports a unit; `isCapped`: more would have been bid, but for the cap. */
export type FeeBid = { readonly price: bigint; readonly isCapped: boolean };

/**
 * What to bid for a transaction that is signed for the `signing`-th time, from 1, by what recent slots took at least for the same accounts,
 * newest last, in micro-lamports a unit: enough for nine in ten of them, twice as much with each signing after one that did not land, and
 * never below the floor or above the cap. Where nobody pays, nothing is bid at first.
 */
export function bidFor(recent: readonly bigint[], { floor, cap }: FeePolicy, signing = 1): FeeBid {
  const counted = recent.slice(-SLOTS).sort((a, b) => Number(a - b));
  const usual = counted[Math.ceil(counted.length * SHARE) - 1] ?? 0n;
  const first = usual > floor ? usual : floor;
  const wanted = signing === 1 ? first : (first > FIRST_STEP ? first : FIRST_STEP) << BigInt(signing - 1);
  return wanted > cap ? { price: cap, isCapped: true } : { price: wanted, isCapped: false };
}

/** The limit of compute units for a transaction of which a simulation used so many; never above `most`. */
export const unitLimitFor = (used: number, most: number): number =>
  Math.min(Math.ceil((used * UNITS_PERCENT) / 100), most);

/** Lamports that a limit of compute units costs at a price in micro-lamports, rounded up as the ledger does. */
export const priorityFeeOf = (price: bigint, units: number): bigint =>
  (price * BigInt(units) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
