import { randomBytes, randomInt } from 'node:crypto';
import {
  addressFromBytes,
  CalendarUnit,
  getVaultEncoder,
  type Payee,
  prepareList,
  type RecipientList,
  type ScheduleArgs,
  type VaultArgs,
} from '@payouts/client';
import { BLANK_SCHEDULE, BLANK_VAULT } from '@payouts/testing/blankAccounts';
import { recordList } from '@payouts/testing/recordList';
import type { Address } from '@solana/kit';
import type { LedgerStub } from './ledgerStub.ts';

export const randomAddress = (): Address => addressFromBytes(randomBytes(32));

/** Payees that nobody else has, with amounts that turn up nowhere by chance: they have more digits than a time in milliseconds, and fewer than one in microseconds. */
export function somePayees(size: number): Payee[] {
  const least = 10n ** 14n + BigInt(randomInt(2 ** 40));
  return Array.from({ length: size }, (_, line) => ({ recipient: randomAddress(), amount: least + BigInt(line) }));
}

/** A schedule as the ledger holds it over a list. */
export const scheduleOver = (list: RecipientList, terms: Partial<ScheduleArgs> = {}): ScheduleArgs => ({
  ...BLANK_SCHEDULE,
  vault: randomAddress(),
  mint: randomAddress(),
  root: list.root,
  amount: list.total,
  unit: CalendarUnit.MonthsOnDay,
  every: 1,
  day: 31,
  nextExecution: 1_800_000_000n,
  recipients: list.recipients.length,
  executionsLeft: 12,
  batchTimeout: 600,
  ...terms,
});

/** A vault's account of a token with six decimals. */
export const vaultData = (vault: Partial<VaultArgs>): Uint8Array =>
  new Uint8Array(getVaultEncoder().encode({ ...BLANK_VAULT, decimals: 6, schedules: 1, ...vault }));

/** A schedule on the ledger with its list, and its vault. */
export type Promised = Readonly<ReturnType<typeof promise>>;

/** Puts an employer's vault and a schedule over payees on the ledger. */
export function promise(ledger: LedgerStub, employer: Address, payees: readonly Payee[]) {
  const [schedulePda, vault, mint] = [randomAddress(), randomAddress(), randomAddress()];
  const list = prepareList(payees);
  recordList(list);
  ledger.putSchedule(schedulePda, scheduleOver(list, { vault, mint }));
  ledger.put(vault, vaultData({ employer, mint, tokenAccount: randomAddress() }));
  return { schedulePda, vault, mint, list };
}
