/**
 * Numbers of parts that people take each month to wallets that they use again. There are few, so that many take the same: a number that follows
 * a pay to the part is the pay. Too few people are paid a single part.
 */
export const STEADY_STEPS = [2, 3, 5, 8, 12] as const;

/** As many parts as somebody takes each month who is paid so many; 0: too few. */
export const steadyParts = (paid: number): number => STEADY_STEPS.findLast((step) => step <= paid) ?? 0;
