/** Seconds that the ledgers' clock is set before a window is due: coordinators learn of it meanwhile. */
export const BEFORE_DUE = 6;
