import { describe, expect, it } from 'vitest';
import {
  type Batch,
  BatchPhase,
  CalendarUnit,
  checkPool,
  checkVault,
  checkWindow,
  MissedWindows,
  type Pool,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
  type Vault,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

const address = randomAddress();
const hash = new Uint8Array(32);
const head = { version: 1, bump: 255 };
const rules = (violations: { rule: string }[]) => violations.map(({ rule }) => rule);

const vault: Vault = {
  ...head,
  kind: 3,
  decimals: 6,
  schedules: 1,
  employer: address,
  mint: address,
  tokenAccount: address,
  reserved: 30n,
  open: 10n,
  deposited: 100n,
  withdrawn: 5n,
  paid: 15n,
  nextId: 1n,
  closed: 0,
  approval: 0,
  approvalLimit: 0n,
};
const pool: Pool = {
  ...head,
  kind: 2,
  decimals: 6,
  liabilityLeaves: 4,
  mint: address,
  tokenAccount: address,
  tokenProgram: address,
  movedIn: 100n,
  returned: 10n,
  paidOut: 20n,
  open: 40n,
  highestWithdrawal: 3n,
  withdrawals: 3n,
  liabilitiesRoot: hash,
  liabilitiesTotal: 70n,
  coveredTo: 4n,
  sequence: 1n,
  recordedAt: 0n,
  redeemed: 0n,
  recordedIn: 80n,
};
const schedule: Schedule = {
  ...head,
  kind: 4,
  status: ScheduleStatus.Active,
  phase: SchedulePhase.Open,
  missed: MissedWindows.CatchUp,
  batchBump: 255,
  unit: CalendarUnit.Seconds,
  vault: address,
  mint: address,
  root: hash,
  id: 0n,
  amount: 30n,
  every: 60,
  day: 0,
  heldCount: 0,
  nextExecution: 0n,
  window: 4n,
  recipients: 4,
  executionsLeft: 2,
  batchTimeout: 60,
  rootVersion: 0,
  openedAt: 0n,
  windowAmount: 30n,
  windowRecipients: 4,
  windowRootVersion: 0,
  lastPaidCount: 0,
  windowHeld: 1,
  lastPaidAmount: 0n,
  lastBitmapHash: hash,
  lastSettledAt: 0n,
  paidTotal: 0n,
  windowMovedIn: 80n,
  held: new Array<number>(32).fill(0),
  proposedRoot: new Uint8Array(32),
  proposedAmount: 0n,
  proposedAt: 0n,
  proposedRecipients: 0,
  proposedExecutions: 0,
};
const batch: Batch = {
  ...head,
  kind: 6,
  phase: BatchPhase.Open,
  recipients: 4,
  schedule: address,
  mint: address,
  root: hash,
  window: 4n,
  openedAt: 0n,
  batchTimeout: 60,
  paidCount: 2,
  amount: 30n,
  paidAmount: 20n,
  bitmapHash: hash,
  heldCount: 1,
  bitmap: Uint8Array.of(0b1101),
};

describe('checkVault', () => {
  it('accepts a vault that holds what it has promised, and gifts on top', () => {
    expect(checkVault(vault, 70n)).toEqual([]);
    expect(checkVault(vault, 71n)).toEqual([]);
  });

  it('reports missing tokens and promises without cover', () => {
    expect(checkVault(vault, 69n)).toEqual([
      {
        rule: 'vault-holds-total',
        sentence: "The vault's token account holds 69, but available and reserved are 70.",
        numbers: { tokenAmount: 69n, available: 40n, reserved: 30n },
      },
    ]);
    expect(rules(checkVault({ ...vault, reserved: 71n }, 70n))).toEqual(['vault-covers-promises']);
  });
});

describe('checkPool', () => {
  const claims = { openBudgets: 25n, privateBalances: 40n, withdrawalsUnderWay: 5n };

  it('accepts a pool that equals what it owes', () => {
    expect(checkPool(pool, 70n, claims)).toEqual([]);
  });

  it('reports every kind of difference', () => {
    expect(rules(checkPool(pool, 69n, claims))).toEqual(['pool-holds-its-balance']);
    expect(rules(checkPool(pool, 70n, { ...claims, privateBalances: 41n }))).toEqual(['pool-equals-what-it-owes']);
    expect(rules(checkPool({ ...pool, open: 24n }, 70n, claims))).toEqual(['budgets-within-open-windows']);
    expect(rules(checkPool({ ...pool, withdrawals: 4n }, 70n, claims))).toEqual(['withdrawals-numbered-once']);
    expect(rules(checkPool({ ...pool, coveredTo: 3n }, 70n, claims))).toEqual(['liabilities-root-covers']);
    expect(rules(checkPool({ ...pool, liabilitiesTotal: 81n }, 70n, claims))).toEqual([
      'liabilities-from-what-came-in',
    ]);
    expect(rules(checkPool({ ...pool, recordedIn: 101n }, 70n, claims))).toEqual(['liabilities-from-what-came-in']);
    expect(rules(checkPool({ ...pool, redeemed: 21n }, 70n, claims))).toEqual(['redeemed-is-paid-out']);
    expect(rules(checkPool({ ...pool, paidOut: 91n }, 70n, claims))).toEqual([
      'pool-paid-from-what-came-in',
      'pool-equals-what-it-owes',
    ]);
  });
});

describe('checkWindow', () => {
  it('accepts open, closed and idle windows', () => {
    expect(checkWindow(schedule, batch)).toEqual([]);
    expect(checkWindow(schedule, { ...batch, phase: BatchPhase.Closed, bitmap: Uint8Array.of(0) })).toEqual([]);
    const idle = { ...schedule, phase: SchedulePhase.Idle };
    expect(checkWindow(idle, { ...batch, phase: BatchPhase.Idle })).toEqual([]);
  });

  it.each<[string, Partial<Batch>]>([
    ['batch-carries-the-window', { window: 5n }],
    ['batch-carries-the-window', { phase: BatchPhase.Idle }],
    ['batch-has-the-window-amount', { amount: 31n }],
    ['batch-has-the-window-recipients', { recipients: 5 }],
    ['batch-has-the-window-held', { heldCount: 2, bitmap: Uint8Array.of(0b1111) }],
    ['paid-within-the-window-amount', { paidAmount: 31n }],
    ['paid-within-the-recipients', { paidCount: 4, bitmap: Uint8Array.of(0b11111) }],
    ['bitmap-agrees-with-the-count', { bitmap: Uint8Array.of(0b101) }],
    ['bitmap-agrees-with-the-count', { phase: BatchPhase.Closed }],
  ])('reports %s', (rule, change) => {
    expect(rules(checkWindow(schedule, { ...batch, ...change }))).toEqual([rule]);
  });

  it('reports a batch that is not idle between windows', () => {
    expect(rules(checkWindow({ ...schedule, phase: SchedulePhase.Idle }, batch))).toEqual([
      'batch-idle-between-windows',
    ]);
  });
});
