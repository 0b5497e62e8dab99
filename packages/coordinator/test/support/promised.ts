import { randomBytes, randomInt } from 'node:crypto';
import {
  addressFromBytes,
  CalendarUnit,
  getVaultEncoder,
  MissedWindows,
  type Payee,
  prepareList,
  type RecipientList,
  type ScheduleArgs,
  SchedulePhase,
  ScheduleStatus,
} from '@payouts/client';
import { recordList } from '@payouts/testing/recordList';
import type { Address } from '@solana/kit';
import type { LedgerStub } from './ledgerStub.ts';

export const randomAddress = (): Address => addressFromBytes(randomBytes(32));

/** Payees that nobody else has, with amounts that turn up nowhere by chance. */
export function somePayees(size: number): Payee[] {
  const least = 10n ** 12n + BigInt(randomInt(2 ** 40));
  return Array.from({ length: size }, (_, line) => ({ recipient: randomAddress(), amount: least + BigInt(line) }));
}

/** A schedule as the ledger holds it over a list. */
export const scheduleOver = (list: RecipientList, terms: Partial<ScheduleArgs> = {}): ScheduleArgs => ({
  bump: 255,
  status: ScheduleStatus.Active,
  phase: SchedulePhase.Idle,
  missed: MissedWindows.CatchUp,
  batchBump: 255,
  vault: randomAddress(),
  mint: randomAddress(),
  root: list.root,
  id: 0n,
  amount: list.total,
  unit: CalendarUnit.MonthsOnDay,
  every: 1,
  day: 31,
  heldCount: 0,
  held: Array(32).fill(0),
  proposedRoot: new Uint8Array(32),
  proposedAmount: 0n,
  proposedAt: 0n,
  proposedRecipients: 0,
  proposedExecutions: 0,
  nextExecution: 1_800_000_000n,
  window: 0n,
  recipients: list.recipients.length,
  executionsLeft: 12,
  batchTimeout: 600,
  rootVersion: 0,
  openedAt: 0n,
  windowAmount: 0n,
  windowRecipients: 0,
  windowRootVersion: 0,
  windowHeld: 0,
  windowMovedIn: 0n,
  lastPaidCount: 0,
  lastPaidAmount: 0n,
  lastBitmapHash: new Uint8Array(32),
  lastSettledAt: 0n,
  paidTotal: 0n,
  ...terms,
});

/** A schedule on the ledger with its list, and its vault. */
export type Promised = {
  readonly schedulePda: Address;
  readonly vault: Address;
  readonly mint: Address;
  readonly list: RecipientList;
};

/** Puts an employer's vault and a schedule over payees on the ledger. */
export function promise(ledger: LedgerStub, employer: Address, payees: readonly Payee[]): Promised {
  const promised = {
    schedulePda: randomAddress(),
    vault: randomAddress(),
    mint: randomAddress(),
    list: prepareList(payees),
  };
  const { schedulePda, vault, mint, list } = promised;
  recordList(list);
  ledger.putSchedule(schedulePda, scheduleOver(list, { vault, mint }));
  const counters = {
    reserved: 0n,
    open: 0n,
    deposited: 0n,
    withdrawn: 0n,
    paid: 0n,
    nextId: 1n,
    closed: 0,
    approval: 0,
    approvalLimit: 0n,
  };
  const data = { bump: 255, decimals: 6, schedules: 1, employer, mint, tokenAccount: randomAddress(), ...counters };
  ledger.put(vault, new Uint8Array(getVaultEncoder().encode(data)));
  return promised;
}
