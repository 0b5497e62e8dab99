/** Recipients of a list at most: sixteen pages of a window's bitmap. */
export const MAX_LEAVES = 1_048_576;
/** The largest amount that fits the ledger, in base units. */
export const MAX_U64 = 0xffff_ffff_ffff_ffffn;
