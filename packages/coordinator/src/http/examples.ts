import type { Static } from 'typebox';
import type { RegistrationView, RunView, ScheduleView } from './schemas.ts';

/** What answers look like, for the OpenAPI document. Every account in them is made up. */
export const SCHEDULE_EXAMPLE: Static<typeof ScheduleView> = {
  schedulePda: '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
  vault: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  root: '5f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f21',
  rootVersion: 0,
  recipients: 500,
  amountPerExecution: '1500000000',
  calendar: { unit: 'months-on-day', every: 1, day: 31 },
  batchTimeoutSeconds: 600,
  status: 'active',
  phase: 'idle',
  window: '3',
  nextExecution: 1_798_704_000_000,
  executionsLeft: 9,
  keeps: 0,
  nextWindow: { number: '3', dueAt: 1_798_704_000_000 },
  proposal: {
    kind: 'change',
    root: 'c2a90b7d14e85f3360d1f8a2479be5c07d3e6a1b92f0c4d85e7a3b6c1f20d948',
    isNewList: true,
    recipients: 503,
    amountPerExecution: '1512000000',
    executionsLeft: 9,
    executionsAdded: 0,
    proposedAt: 1_795_270_012_000,
    expiresAt: 1_797_862_012_000,
  },
  token: { decimals: 6, symbol: 'USDC' },
  funding: {
    reserved: '13500000000',
    available: '1379500000',
    decimals: 6,
    symbol: 'USDC',
    windowsCovered: 9,
    shortfall: { amount: '120500000', dueAt: 1_822_291_200_000, isPromised: false },
    sentence: 'covers 9 more windows, all that are promised; one more on 30 September 2027 takes another 120.50 USDC',
    seenAt: 1_795_276_790_117,
  },
  conditions: [{ kind: 'funding.low', window: '4', since: 1_795_276_790_117 }],
  registration: { state: 'registered', registeredAt: 1_795_276_766_253 },
};

export const RUN_EXAMPLE: Static<typeof RunView> = {
  window: '2',
  dueAt: 1_796_025_600_000,
  state: 'settled',
  stage: 'commit',
  claims: { paid: 500, total: 500 },
  paidAmount: '1500000000',
  unpaid: { count: 0, reasons: {} },
  errorCode: null,
  errorDetail: null,
  resumeAt: null,
  createdAt: 1_796_025_600_120,
  startedAt: 1_796_025_600_180,
  finishedAt: 1_796_025_604_902,
  rebuilt: false,
  attempts: [
    {
      stage: 'delegate',
      number: 1,
      outcome: 'succeeded',
      errorCode: null,
      errorDetail: null,
      startedAt: 1_796_025_600_180,
      endedAt: 1_796_025_601_044,
      signatures: ['3AsdoALgZFuq2oUVWrDYhg2pNeaLJKPLf8hU2mQ6U8qJxeJ6hsrPVpMn9ma39DtfYCrDQSvngWRP8NnTpEhezJpE'],
      quoteHash: '5f1d7a84db00d2fce00b31a9be8fba8ee7cdbbf5efbb4e1a5a2c6a4a6e1f0c33',
    },
  ],
};

export const REGISTRATION_EXAMPLE: Static<typeof RegistrationView> = {
  schedulePda: SCHEDULE_EXAMPLE.schedulePda,
  root: SCHEDULE_EXAMPLE.root,
  recipients: SCHEDULE_EXAMPLE.recipients,
  created: true,
};
