import { millisOf, NO_DATE } from '@payouts/client';
import type { Static } from 'typebox';
import { calendarOf } from '../domain/calendarOf.ts';
import { isToGoOn } from '../domain/schedule.ts';
import { forecastOf } from '../store/forecast.ts';
import type { AttemptRow } from '../store/queries/attempts.ts';
import type { RegisteredSchedule } from '../store/queries/registeredSchedule.ts';
import type { RunRow } from '../store/queries/runs.ts';
import type { ScheduleRow } from '../store/queries/schedules.ts';
import type { RunSummary, RunView, ScheduleView } from './schemas.ts';

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));

/** Whether a window is to open, now or once the schedule is resumed. */
const isToCome = ({ phase, status, executions_left, kept, next_execution }: ScheduleRow): boolean =>
  phase === 'idle' &&
  isToGoOn({ executionsLeft: executions_left, kept }) &&
  (status === 'active' || status === 'paused') &&
  next_execution !== String(NO_DATE);

function calendarView(row: ScheduleRow): Static<typeof ScheduleView>['calendar'] {
  const { dates, ...rule } = calendarOf(row);
  return { ...rule, ...(dates && { dates: dates.map(millisOf) }) };
}

/** A schedule's public fields; `now` in unix milliseconds. */
export function scheduleView(row: RegisteredSchedule, now: number): Static<typeof ScheduleView> {
  return {
    schedulePda: row.address,
    vault: row.vault,
    mint: row.mint,
    root: row.root,
    rootVersion: row.root_version,
    recipients: row.recipients,
    amountPerExecution: row.amount,
    calendar: calendarView(row),
    batchTimeoutSeconds: row.batch_timeout,
    status: row.status,
    phase: row.phase,
    window: row.window_number,
    nextExecution: millisOf(row.next_execution),
    executionsLeft: row.executions_left,
    keeps: row.kept,
    nextWindow: isToCome(row) ? { number: row.window_number, dueAt: millisOf(row.next_execution) } : null,
    proposal: row.proposal && {
      ...row.proposal,
      proposedAt: millisOf(row.proposal.proposedAt),
      expiresAt: millisOf(row.proposal.expiresAt),
    },
    token: row.funds === undefined ? null : { decimals: row.funds.decimals, symbol: row.funds.symbol },
    funding: fundingView(row, now),
    conditions: [...row.conditions],
    registration: {
      state: row.has_list ? 'registered' : 'list-missing',
      registeredAt: Number(row.registered_at),
    },
  };
}

/** How far the vault reaches, as it was last read; null if it was not read yet, or the schedule is over. */
function fundingView(row: RegisteredSchedule, now: number): Static<typeof ScheduleView>['funding'] {
  const { funds } = row;
  const forecast = funds && forecastOf(row, funds, BigInt(Math.floor(now / 1_000)));
  if (funds === undefined || forecast === undefined) return null;
  const { windows, short, reserved, sentence } = forecast;
  return {
    reserved: reserved.toString(),
    available: funds.available,
    decimals: funds.decimals,
    symbol: funds.symbol,
    windowsCovered: windows,
    shortfall: short && { amount: short.amount.toString(), dueAt: millisOf(short.at), isPromised: short.isPromised },
    sentence,
    seenAt: Number(funds.seen_at),
  };
}

/** A run with the tries of its stages; counts and codes only. */
export function runView(run: RunRow, attempts: readonly AttemptRow[]): Static<typeof RunView> {
  return {
    ...runSummary(run),
    attempts: attempts
      .filter((attempt) => attempt.run_id === run.id)
      .map((attempt) => ({
        stage: attempt.stage,
        number: attempt.number,
        outcome: attempt.outcome,
        errorCode: attempt.error_code,
        errorDetail: attempt.error_detail,
        startedAt: Number(attempt.started_at),
        endedAt: numberOrNull(attempt.ended_at),
        signatures: [...attempt.signatures],
        quoteHash: attempt.quote_hash,
      })),
  };
}

/** Where a run stands. */
export function runSummary(run: RunRow): Static<typeof RunSummary> {
  return {
    window: run.window_number,
    dueAt: run.due_at === null ? null : millisOf(run.due_at),
    state: run.state,
    stage: run.stage,
    claims: { paid: run.claims_paid, total: run.claims_total },
    paidAmount: run.paid_amount,
    unpaid: { count: run.unpaid, reasons: { ...run.unpaid_reasons } },
    errorCode: run.error_code,
    errorDetail: run.error_detail,
    resumeAt: numberOrNull(run.resume_at),
    createdAt: Number(run.created_at),
    startedAt: numberOrNull(run.started_at),
    finishedAt: numberOrNull(run.finished_at),
    rebuilt: run.is_rebuilt,
  };
}
