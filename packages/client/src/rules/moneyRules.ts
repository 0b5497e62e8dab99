import { type Batch, BatchPhase, type Pool, type Schedule, SchedulePhase, type Vault } from '../generated/index.ts';
import { countBits } from '../merkle/bitmap.ts';

/** A broken money rule: a sentence for people, and the numbers that it compares, in base units or counts. */
export type Violation = {
  readonly rule: string;
  readonly sentence: string;
  readonly numbers: Readonly<Record<string, bigint>>;
};

/** What recipients and open windows are owed of one token, in base units, as the execution layer says. */
export type PoolClaims = {
  /** Remaining budgets of the open windows: each one's amount less what it has paid. */
  readonly openBudgets: bigint;
  /** Amounts of all private balances. */
  readonly privateBalances: bigint;
  /** Pending withdrawals that no page on the base ledger shows as paid. */
  readonly withdrawalsUnderWay: bigint;
};

/** A rule and whether it holds. */
export type Rule = { rule: string; holds: boolean; sentence: string; numbers: Record<string, bigint> };

/** The rules that don't hold. */
export const violationsOf = (rules: Rule[]): Violation[] =>
  rules.filter(({ holds }) => !holds).map(({ rule, sentence, numbers }) => ({ rule, sentence, numbers }));

/** What an employer can withdraw or promise, in base units; negative only if the ledger is wrong. Lifetime sums wrap. */
export function availableOf(vault: Pick<Vault, 'deposited' | 'withdrawn' | 'reserved' | 'open' | 'paid'>): bigint {
  return BigInt.asUintN(64, vault.deposited - vault.withdrawn - vault.paid) - vault.reserved - vault.open;
}

/** A schedule's windows that are left and have not opened; of one without an end, those whose fees are prepaid. */
export const unopenedWindows = ({ executionsLeft, phase }: Pick<Schedule, 'executionsLeft' | 'phase'>): number =>
  Math.max(0, executionsLeft - (phase === SchedulePhase.Open ? 1 : 0));

/** A schedule's windows whose money lies in its vault's reserve: all that have not opened, or those of them that it keeps without an end. */
export const reservedWindows = (
  schedule: Pick<Schedule, 'executionsLeft' | 'phase' | 'kept' | 'keptReserved'>,
): number => (schedule.kept === 0 ? unopenedWindows(schedule) : schedule.keptReserved);

/** Checks one vault against the amount in its token account. */
export function checkVault(vault: Vault, tokenAmount: bigint): Violation[] {
  const { deposited, withdrawn, reserved, open, paid } = vault;
  const available = availableOf(vault);
  const held = available + reserved;
  return violationsOf([
    {
      rule: 'vault-covers-promises',
      holds: available >= 0n,
      sentence: `The vault has promised ${-available} more than was deposited.`,
      numbers: { deposited, withdrawn, reserved, open, paid, available },
    },
    {
      rule: 'vault-holds-total',
      holds: tokenAmount >= held,
      sentence: `The vault's token account holds ${tokenAmount}, but available and reserved are ${held}.`,
      numbers: { tokenAmount, available, reserved },
    },
  ]);
}

/** What a pool holds by its counters, base units. These wrap; what is held fits 64 bits. */
export const poolHeld = ({ movedIn, returned, paidOut }: Pick<Pool, 'movedIn' | 'returned' | 'paidOut'>): bigint =>
  BigInt.asUintN(64, movedIn - returned - paidOut);

/** Checks one token's pool by the base ledger alone: its counters, and the amount in its token account. */
export function checkPoolHoldings(pool: Pool, tokenAmount: bigint): Violation[] {
  const { movedIn, returned, paidOut, highestWithdrawal, withdrawals, coveredTo } = pool;
  const { liabilitiesLeft, liabilitiesTotal, open, openings, closings, recordedOpenings } = pool;
  const held = poolHeld(pool);
  return violationsOf([
    {
      rule: 'pool-holds-its-balance',
      holds: tokenAmount >= held,
      sentence: `The pool's token account holds ${tokenAmount}, but ${held} came in and did not leave.`,
      numbers: { tokenAmount, movedIn, returned, paidOut },
    },
    {
      rule: 'withdrawals-numbered-once',
      holds: withdrawals <= highestWithdrawal,
      sentence: `${withdrawals} withdrawals were paid, but the highest number is ${highestWithdrawal}.`,
      numbers: { withdrawals, highestWithdrawal },
    },
    {
      rule: 'liabilities-root-covers',
      holds: withdrawals < coveredTo,
      sentence: `${withdrawals} withdrawals were paid, but the recorded liabilities tree knows only those below ${coveredTo}.`,
      numbers: { withdrawals, coveredTo },
    },
    {
      rule: 'liabilities-within-pool',
      holds: liabilitiesLeft <= liabilitiesTotal && liabilitiesLeft <= held,
      sentence: `The recorded liabilities tree's total is ${liabilitiesTotal}, of which ${liabilitiesLeft} are left; the pool holds ${held}.`,
      numbers: { liabilitiesTotal, liabilitiesLeft, held },
    },
    {
      rule: 'liabilities-of-opened-windows',
      holds: recordedOpenings <= openings,
      sentence: `The recorded liabilities tree knows ${recordedOpenings} windows, but ${openings} were opened.`,
      numbers: { recordedOpenings, openings },
    },
    {
      rule: 'windows-closed-once',
      holds: closings <= openings && (open === 0n) === (closings === openings),
      sentence: `${openings} windows were opened and ${closings} closed, but the amounts of those that are open come to ${open}.`,
      numbers: { openings, closings, open },
    },
  ]);
}

/** Checks one token's pool against the amount in its token account and everything that is owed from it. */
export function checkPool(pool: Pool, tokenAmount: bigint, claims: PoolClaims): Violation[] {
  const { open } = pool;
  const { openBudgets, privateBalances, withdrawalsUnderWay } = claims;
  const held = poolHeld(pool);
  const liabilities = openBudgets + privateBalances + withdrawalsUnderWay;
  return [
    ...checkPoolHoldings(pool, tokenAmount),
    ...violationsOf([
      {
        rule: 'pool-equals-what-it-owes',
        holds: held === liabilities,
        sentence: `The pool has ${held}, but open budgets, private balances and withdrawals under way are ${liabilities}.`,
        numbers: { held, openBudgets, privateBalances, withdrawalsUnderWay },
      },
      {
        rule: 'budgets-within-open-windows',
        holds: openBudgets <= open,
        sentence: `The open windows' remaining budgets are ${openBudgets}, but their amounts are ${open}.`,
        numbers: { openBudgets, open },
      },
    ]),
  ];
}

/**
 * Checks a schedule's open window against its batch, as either ledger shows it. The caller knows that the batch is the
 * schedule's. A schedule without an open window must have an idle batch. `bitmap`: who is paid or held back, as the execution layer shows it
 * with an open batch; undefined: it is not known, or the batch is over.
 */
export function checkWindow(schedule: Schedule, batch: Batch, bitmap?: Uint8Array): Violation[] {
  if (schedule.phase !== SchedulePhase.Open) {
    return violationsOf([
      {
        rule: 'batch-idle-between-windows',
        holds: batch.phase === BatchPhase.Idle,
        sentence: 'No window of the schedule is open, but its batch is not idle.',
        numbers: { window: schedule.window, batchWindow: batch.window, batchPhase: BigInt(batch.phase) },
      },
    ]);
  }
  const paidCount = BigInt(batch.paidCount);
  const recipients = BigInt(batch.recipients);
  const windowRecipients = BigInt(schedule.windowRecipients);
  const heldCount = BigInt(batch.heldCount);
  const windowHeld = BigInt(schedule.windowHeld);
  const expectedBits = paidCount + heldCount;
  const bits = bitmap === undefined ? expectedBits : BigInt(countBits(bitmap));
  return violationsOf([
    {
      rule: 'batch-carries-the-window',
      holds: batch.phase !== BatchPhase.Idle && batch.window === schedule.window,
      sentence: `Window ${schedule.window} is open, but the batch is idle or carries window ${batch.window}.`,
      numbers: { window: schedule.window, batchWindow: batch.window, batchPhase: BigInt(batch.phase) },
    },
    {
      rule: 'batch-has-the-window-amount',
      holds: batch.amount === schedule.windowAmount,
      sentence: `The batch's amount is ${batch.amount}, but its window's is ${schedule.windowAmount}.`,
      numbers: { batchAmount: batch.amount, windowAmount: schedule.windowAmount },
    },
    {
      rule: 'batch-has-the-window-recipients',
      holds: recipients === windowRecipients,
      sentence: `The batch has ${recipients} recipients, but its window has ${windowRecipients}.`,
      numbers: { recipients, windowRecipients },
    },
    {
      rule: 'batch-has-the-window-held',
      holds: heldCount === windowHeld,
      sentence: `The batch holds ${heldCount} recipients back, but its window holds ${windowHeld}.`,
      numbers: { heldCount, windowHeld },
    },
    {
      rule: 'paid-within-the-window-amount',
      holds: batch.paidAmount <= schedule.windowAmount,
      sentence: `The batch has paid ${batch.paidAmount}, more than its window's ${schedule.windowAmount}.`,
      numbers: { paidAmount: batch.paidAmount, windowAmount: schedule.windowAmount },
    },
    {
      rule: 'paid-within-the-recipients',
      holds: paidCount + windowHeld <= windowRecipients,
      sentence: `The batch has paid ${paidCount} recipients, but its window has ${windowRecipients}, ${windowHeld} held back.`,
      numbers: { paidCount, windowRecipients, windowHeld },
    },
    {
      rule: 'bitmap-agrees-with-the-count',
      holds: bits === expectedBits,
      sentence: `The window's bitmap has ${bits} bits set, but ${expectedBits} are due.`,
      numbers: { bits, expectedBits, paidCount, heldCount },
    },
  ]);
}
