import { BLANK_BATCH, BLANK_POOL, BLANK_SCHEDULE, BLANK_VAULT } from '@payouts/testing/blankAccounts';
import { describe, expect, it } from 'vitest';
import {
  type Batch,
  BatchPhase,
  checkPool,
  checkVault,
  checkWindow,
  type Pool,
  type Schedule,
  SchedulePhase,
  type Vault,
} from '../src/index.ts';

const rules = (violations: { rule: string }[]) => violations.map(({ rule }) => rule);

const vault: Vault = { ...BLANK_VAULT, reserved: 30n, open: 10n, deposited: 100n, withdrawn: 5n, paid: 15n };

const pool: Pool = {
  ...BLANK_POOL,
  movedIn: 100n,
  returned: 10n,
  paidOut: 20n,
  open: 40n,
  highestWithdrawal: 3n,
  withdrawals: 3n,
  liabilitiesTotal: 70n,
  liabilitiesLeft: 60n,
  coveredTo: 4n,
  openings: 2n,
  closings: 1n,
  recordedOpenings: 1n,
};

const schedule: Schedule = {
  ...BLANK_SCHEDULE,
  phase: SchedulePhase.Open,
  window: 4n,
  windowAmount: 30n,
  windowRecipients: 4,
  windowHeld: 1,
};

const batch: Batch = {
  ...BLANK_BATCH,
  phase: BatchPhase.Open,
  recipients: 4,
  window: 4n,
  paidCount: 2,
  amount: 30n,
  paidAmount: 20n,
  heldCount: 1,
};
const bitmap = Uint8Array.of(0b1101);

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
    expect(rules(checkPool({ ...pool, withdrawals: 4n, coveredTo: 5n }, 70n, claims))).toEqual([
      'withdrawals-numbered-once',
    ]);
    expect(rules(checkPool({ ...pool, coveredTo: pool.withdrawals }, 70n, claims))).toEqual([
      'liabilities-root-covers',
    ]);
    expect(rules(checkPool({ ...pool, liabilitiesLeft: 71n }, 70n, claims))).toEqual(['liabilities-within-pool']);
    expect(rules(checkPool({ ...pool, liabilitiesTotal: 59n }, 70n, claims))).toEqual(['liabilities-within-pool']);
    expect(rules(checkPool({ ...pool, recordedOpenings: 3n }, 70n, claims))).toEqual(['liabilities-of-opened-windows']);
    expect(rules(checkPool({ ...pool, closings: 2n }, 70n, claims))).toEqual(['windows-closed-once']);
    expect(rules(checkPool({ ...pool, closings: 3n }, 70n, claims))).toEqual(['windows-closed-once']);
    expect(rules(checkPool({ ...pool, open: 0n }, 70n, { ...claims, openBudgets: 0n, privateBalances: 65n }))).toEqual([
      'windows-closed-once',
    ]);
    expect(rules(checkPool({ ...pool, paidOut: 91n }, 70n, claims))).toEqual([
      'pool-holds-its-balance',
      'pool-equals-what-it-owes',
    ]);
  });

  it('counts what is held by sums that have wrapped', () => {
    expect(checkPool({ ...pool, movedIn: 4n, returned: 2n ** 64n - 86n }, 70n, claims)).toEqual([]);
  });
});

describe('checkWindow', () => {
  it('accepts open, closed and idle windows', () => {
    expect(checkWindow(schedule, batch, bitmap)).toEqual([]);
    expect(checkWindow(schedule, { ...batch, phase: BatchPhase.Closed })).toEqual([]);
    const idle = { ...schedule, phase: SchedulePhase.Idle };
    expect(checkWindow(idle, { ...batch, phase: BatchPhase.Idle })).toEqual([]);
  });

  it.each<[string, Partial<Batch>, number?]>([
    ['batch-carries-the-window', { window: 5n }],
    ['batch-carries-the-window', { phase: BatchPhase.Idle }],
    ['batch-has-the-window-amount', { amount: 31n }],
    ['batch-has-the-window-recipients', { recipients: 5 }],
    ['batch-has-the-window-held', { heldCount: 2 }, 0b1111],
    ['paid-within-the-window-amount', { paidAmount: 31n }],
    ['paid-within-the-recipients', { paidCount: 4 }, 0b11111],
    ['bitmap-agrees-with-the-count', {}, 0b101],
  ])('reports %s', (rule, change, bits = 0b1101) => {
    expect(rules(checkWindow(schedule, { ...batch, ...change }, Uint8Array.of(bits)))).toEqual([rule]);
  });

  it('reports a batch that is not idle between windows', () => {
    expect(rules(checkWindow({ ...schedule, phase: SchedulePhase.Idle }, batch))).toEqual([
      'batch-idle-between-windows',
    ]);
  });
});
