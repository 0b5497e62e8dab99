/** Parts of one plan at most: whoever had many more parts in a round than others would be the best guess for each of its wallets. */
export const MOST_PARTS = 12;
/** Parts that are asked for at once at most: a recipient's transaction has room for so many wallets. */
export const PARTS_AT_ONCE = 10;

/** How a balance leaves: so many equal parts, and what stays inside until the next plan. */
export type PartPlan = { readonly parts: number; readonly rest: bigint };

/**
 * Takes a balance apart into equal parts, base units. It is the same for everybody, since a plan of one's own would be a fingerprint. What has
 * no place stays until the next pay. `most`: how many there may be, less than usual where parts of the same person wait already.
 */
export function planParts(balance: bigint, size: bigint, most = MOST_PARTS): PartPlan {
  const whole = size > 0n ? balance / size : 0n;
  const parts = Math.max(0, Number(whole < BigInt(most) ? whole : most));
  return { parts, rest: balance - BigInt(parts) * size };
}
