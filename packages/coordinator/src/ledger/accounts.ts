import {
  BATCH_KIND,
  type Batch,
  CONFIG_KIND,
  COUNTER_KIND,
  type Config,
  type Counter,
  dueAt,
  getBatchDecoder,
  getConfigDecoder,
  getCounterDecoder,
  getPageDecoder,
  getPoolDecoder,
  getRoleDecoder,
  getScheduleDecoder,
  getVaultDecoder,
  PAGE_KIND,
  type Page,
  POOL_KIND,
  type Pool,
  ROLE_KIND,
  type Role,
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

const STATUS_NAMES: Record<ScheduleStatus, ScheduleStatusName> = {
  [ScheduleStatus.Active]: 'active',
  [ScheduleStatus.Paused]: 'paused',
  [ScheduleStatus.Cancelled]: 'cancelled',
  [ScheduleStatus.Completed]: 'completed',
  [ScheduleStatus.Awaiting]: 'awaiting',
};

/**
 * Reads what accounts of one kind hold, each answer's account once: many runs share an answer, and a stage looks at one several times. The
 * decoder is made once: making one takes longer than decoding with it.
 */
function readerOf<T extends object>(kind: number, decoder: { decode(bytes: Uint8Array): T }) {
  const known = new WeakMap<LedgerAccount, T>();
  return (account: LedgerAccount | null | undefined, program: Address): T | undefined => {
    if (account?.owner !== program || account.data[0] !== kind) return undefined;
    const content = known.get(account) ?? decoder.decode(account.data);
    known.set(account, content);
    return content;
  };
}

/** The schedule in an account; undefined if it is none of our program. So with the others. */
export const scheduleOf = readerOf<Schedule>(SCHEDULE_KIND, getScheduleDecoder());
export const configOf = readerOf<Config>(CONFIG_KIND, getConfigDecoder());
export const roleOf = readerOf<Role>(ROLE_KIND, getRoleDecoder());
export const vaultOf = readerOf<Vault>(VAULT_KIND, getVaultDecoder());
export const poolOf = readerOf<Pool>(POOL_KIND, getPoolDecoder());
const readBatch = readerOf<Batch>(BATCH_KIND, getBatchDecoder());

/** The batch, too, is one that our program owns: undefined while it is delegated, and if what came back is no batch's content. */
export function batchOf(account: LedgerAccount | null | undefined, program: Address): Batch | undefined {
  try {
    return readBatch(account, program);
  } catch {
    return undefined;
  }
}

/** The counter of a token's withdrawals. */
export const counterOf = readerOf<Counter>(COUNTER_KIND, getCounterDecoder());
/** A page of withdrawal numbers. */
export const pageOf = readerOf<Page>(PAGE_KIND, getPageDecoder());

/** Reckoned once for each: every probe of a window asks, and the due date takes longer than all else that it does here. */
const states = new WeakMap<Schedule, ScheduleState>();

/** A schedule's state in the domain's words. */
export function termsOf(schedule: Schedule): ScheduleState {
  const state = states.get(schedule) ?? {
    status: STATUS_NAMES[schedule.status],
    phase: schedule.phase === SchedulePhase.Open ? 'open' : 'idle',
    window: schedule.window,
    dueAt: dueAt(schedule),
    executionsLeft: schedule.executionsLeft,
    kept: schedule.kept,
  };
  states.set(schedule, state);
  return state;
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
