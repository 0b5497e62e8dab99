import {
  BALANCE_KIND,
  BATCH_KIND,
  type Balance,
  type Batch,
  COUNTER_KIND,
  type Counter,
  getBalanceDecoder,
  getBatchDecoder,
  getCounterDecoder,
  getPageDecoder,
  getPoolDecoder,
  getScheduleDecoder,
  getVaultDecoder,
  PAGE_KIND,
  type Page,
  POOL_KIND,
  type Pool,
  SCHEDULE_KIND,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
  VAULT_KIND,
  type Vault,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ScheduleState, ScheduleStatusName } from '../domain/schedule.ts';
import type { LedgerAccount } from './ledger.ts';

/** Made once: making one takes longer than decoding with it. */
const decoders = {
  schedule: getScheduleDecoder(),
  vault: getVaultDecoder(),
  pool: getPoolDecoder(),
  batch: getBatchDecoder(),
  counter: getCounterDecoder(),
  page: getPageDecoder(),
  balance: getBalanceDecoder(),
};

const STATUS_NAMES: Record<ScheduleStatus, ScheduleStatusName> = {
  [ScheduleStatus.Active]: 'active',
  [ScheduleStatus.Paused]: 'paused',
  [ScheduleStatus.Cancelled]: 'cancelled',
  [ScheduleStatus.Completed]: 'completed',
  [ScheduleStatus.Awaiting]: 'awaiting',
};

function isOurs(account: LedgerAccount | null, program: Address, kind: number): account is LedgerAccount {
  return account !== null && account.owner === program && account.data[0] === kind;
}

/** The schedule in an account; undefined if it is none of our program. */
export function scheduleOf(account: LedgerAccount | null, program: Address): Schedule | undefined {
  return isOurs(account, program, SCHEDULE_KIND) ? decoders.schedule.decode(account.data) : undefined;
}

/** The vault in an account; undefined if it is none of our program. */
export function vaultOf(account: LedgerAccount | null, program: Address): Vault | undefined {
  return isOurs(account, program, VAULT_KIND) ? decoders.vault.decode(account.data) : undefined;
}

/** The pool in an account; undefined if it is none of our program. */
export function poolOf(account: LedgerAccount | null, program: Address): Pool | undefined {
  return isOurs(account, program, POOL_KIND) ? decoders.pool.decode(account.data) : undefined;
}

/** The batch in an account that our program owns; undefined for one that is delegated, missing or something else. */
export function batchOf(account: LedgerAccount | null, program: Address): Batch | undefined {
  return isOurs(account, program, BATCH_KIND) ? decoders.batch.decode(account.data) : undefined;
}

/** The counter of a token's withdrawals in an account of our program. */
export function counterOf(account: LedgerAccount | null, program: Address): Counter | undefined {
  return isOurs(account, program, COUNTER_KIND) ? decoders.counter.decode(account.data) : undefined;
}

/** A page of withdrawal numbers in an account; undefined if it is none of our program. */
export function pageOf(account: LedgerAccount | null, program: Address): Page | undefined {
  return isOurs(account, program, PAGE_KIND) ? decoders.page.decode(account.data) : undefined;
}

/** A private balance in an account of the execution layer; undefined if it is none of our program. */
export function balanceOf(account: LedgerAccount | null, program: Address): Balance | undefined {
  return isOurs(account, program, BALANCE_KIND) ? decoders.balance.decode(account.data) : undefined;
}

/** A schedule's state in the domain's words. */
export function termsOf(schedule: Schedule): ScheduleState {
  return {
    status: STATUS_NAMES[schedule.status],
    phase: schedule.phase === SchedulePhase.Open ? 'open' : 'idle',
    window: schedule.window,
    nextExecution: schedule.nextExecution,
    executionsLeft: schedule.executionsLeft,
  };
}

/** What the ledger says of a list's root (hexadecimal), in force or waiting for the approver; undefined if it is neither's. */
export function promiseOf(
  schedule: Schedule,
  root: string,
): { readonly recipients: number; readonly amount: bigint } | undefined {
  if (root === rootText(schedule)) return schedule;
  const { proposedAt, proposedRoot, proposedRecipients: recipients, proposedAmount: amount } = schedule;
  const isProposed = proposedAt !== 0n && recipients !== 0 && root === Buffer.from(proposedRoot).toString('hex');
  return isProposed ? { recipients, amount } : undefined;
}

/** A root as the store keeps it. */
export const rootText = (schedule: Schedule): string => Buffer.from(schedule.root as Uint8Array).toString('hex');
