import type { LIMITS } from '../../fixtures/constants.ts';

type Limits = Partial<typeof LIMITS>;

/** The least and the greatest that each limit may be. */
export const GOOD_LIMITS: readonly Limits[] = [
  { maxRecipients: 1 },
  { minInterval: 1 },
  { minBatchTimeout: 1 },
  { minBatchTimeout: 7, maxBatchTimeout: 7 },
  { maxClaims: 50 },
  { maxClaims: 1_100 },
];

/** Each limit just out of range. */
export const BAD_LIMITS: readonly Limits[] = [
  { maxRecipients: 0 },
  { maxRecipients: 1_048_577 },
  { minInterval: 0 },
  { minBatchTimeout: 0 },
  { minBatchTimeout: 8, maxBatchTimeout: 7 },
  { maxClaims: 49 },
  { maxClaims: 1_101 },
];
