import { type Batch, BatchPhase, DELEGATION_PROGRAM_ADDRESS, type Schedule } from '@payouts/client';
import type { DifferenceKind } from '../domain/differences.ts';
import { STOPPED_STATES } from '../domain/run.ts';
import { isToGoOn } from '../domain/schedule.ts';
import { rootText, termsOf } from '../ledger/accounts.ts';
import type { LedgerAccount } from '../ledger/ledger.ts';
import type { KnownRun, KnownSchedule, Reconciled } from '../store/queries/reconcile.ts';

/** Something that differs, about a window or, without one, a whole schedule, vault or token. All of it is public. */
export type Difference = {
  readonly kind: DifferenceKind;
  /** Of the schedule, vault or token. */
  readonly address: string;
  readonly window?: bigint;
  /** What is to be said beside its kind. */
  readonly detail?: string;
};

/** A schedule as both sides have it. The database was read first, the base ledger then, at finalized commitment. */
export type Compared = {
  readonly known: KnownSchedule;
  /** Undefined: the base ledger has no such schedule. */
  readonly schedule: Schedule | undefined;
};

/** A time to the second; unix milliseconds. */
export const utc = (at: number): string => new Date(at).toISOString().replace('.000', '');

/** Windows that are over on the base ledger and not reconciled yet. */
export const isBehind = ({ known, schedule }: Compared): boolean =>
  schedule !== undefined && schedule.window > known.from;

const isStopped = ({ state }: KnownRun) => (STOPPED_STATES as readonly string[]).includes(state);

/** What the base ledger's account says of a schedule's last window; undefined where it does not say that for sure. */
export function lastWindowOf(
  schedule: Schedule,
): { readonly window: bigint; readonly paidCount: number; readonly paidAmount: bigint } | undefined {
  // A window that was reclaimed leaves the numbers of the one before, and the schedule cancelled.
  if (schedule.window === 0n || termsOf(schedule).status === 'cancelled') return undefined;
  return { window: schedule.window - 1n, paidCount: schedule.lastPaidCount, paidAmount: schedule.lastPaidAmount };
}

/** What differs about a schedule and its runs between the database and the base ledger. */
export function compareSchedule({ known, schedule }: Compared): Difference[] {
  const { address, runs } = known;
  if (schedule === undefined) {
    return runs
      .filter(({ isOver }) => !isOver)
      .map(({ window }) => ({ kind: 'schedule-gone' as const, address, window }));
  }
  return [...compareList(known, schedule), ...comparePresent(known, schedule), ...comparePast(known, schedule)];
}

function compareList({ address, roots }: KnownSchedule, schedule: Schedule): Difference[] {
  const { status, phase, executionsLeft, kept, dueAt } = termsOf(schedule);
  const isOver = status === 'cancelled' || status === 'completed';
  const isToCome = !isOver && (kept > 0 || executionsLeft > (phase === 'open' ? 1 : 0));
  if (!isToCome || roots.includes(rootText(schedule))) return [];
  return [{ kind: 'list-missing', address, detail: `due ${utc(Number(dueAt) * 1_000)}` }];
}

/** The window that the ledger shows, and runs of it or of later ones. */
function comparePresent({ address, runs }: KnownSchedule, schedule: Schedule): Difference[] {
  const terms = termsOf(schedule);
  const { phase, status } = terms;
  const differences: Difference[] = [];
  const isOpen = phase === 'open';
  if (isOpen && !runs.some(({ window }) => window === schedule.window)) {
    differences.push({ kind: 'open-without-run', address, window: schedule.window });
  }
  const mayOpen = isOpen || (status === 'active' && isToGoOn(terms));
  for (const { window, isOver, state } of runs) {
    if (window < schedule.window || !isOver) continue;
    if (state === 'settled' || mayOpen) differences.push({ kind: 'run-ended-early', address, window, detail: state });
  }
  return differences;
}

/** The windows that are over. */
function comparePast({ address, from, paidBefore, lost, runs }: KnownSchedule, schedule: Schedule): Difference[] {
  const differences: Difference[] = lost.map((window) => ({ kind: 'run-missing', address, window }));
  const byWindow = new Map(runs.map((run) => [run.window, run]));
  const last = lastWindowOf(schedule);
  let paid: bigint | undefined = paidBefore;
  for (let window = from; window < schedule.window; window++) {
    const run = byWindow.get(window);
    const amount: bigint | null = run?.state === 'settled' ? run.paidAmount : null;
    paid = amount === null || paid === undefined ? undefined : paid + amount;
    if (run === undefined) differences.push({ kind: 'run-missing', address, window });
    else if (!run.isOver) {
      // One that is in line or at work ends by itself.
      if (isStopped(run)) differences.push({ kind: 'run-not-ended', address, window, detail: run.state });
    } else if (run.state !== 'settled' || run.paidAmount === null || differsFrom(run, last)) {
      differences.push({ kind: 'run-differs', address, window });
    }
  }
  // All are there and each may be right, yet together they are not what the schedule has paid.
  if (paid !== undefined && paid !== schedule.paidTotal && differences.length === 0) {
    for (let window = from; window < schedule.window; window++) {
      differences.push({ kind: 'run-differs', address, window });
    }
  }
  return differences;
}

const differsFrom = (run: KnownRun, last: ReturnType<typeof lastWindowOf>): boolean =>
  last !== undefined &&
  run.window === last.window &&
  (run.claimsPaid !== last.paidCount || run.paidAmount !== last.paidAmount);

/** Up to where a schedule need not be compared again; undefined if it has come no further. */
export function reconciledUpTo({ known, schedule }: Compared): Reconciled | undefined {
  if (schedule === undefined || schedule.window <= known.from) return undefined;
  const past = known.runs.filter(({ window }) => window < schedule.window);
  const isWhole = BigInt(past.length) === schedule.window - known.from && past.every(({ isOver }) => isOver);
  if (!isWhole || comparePast(known, schedule).length > 0) return undefined;
  return { schedule: known.address, before: schedule.window, paidTotal: schedule.paidTotal };
}

/** What differs about a window's batch: `base` and `layer` are its account on either ledger. */
export function compareBatch(
  { known: { address }, schedule }: Compared,
  base: LedgerAccount | null,
  layer: Batch | undefined,
): Difference[] {
  if (schedule === undefined) return [];
  const isOpenThere = layer?.phase === BatchPhase.Open;
  if (isOpenThere && layer.window < schedule.window) {
    return [{ kind: 'batch-left-in-layer', address, window: layer.window }];
  }
  if (termsOf(schedule).phase !== 'open' || base?.owner !== DELEGATION_PROGRAM_ADDRESS) return [];
  if (isOpenThere && layer.window === schedule.window) return [];
  const isClosedThere = layer?.window === schedule.window && layer.phase === BatchPhase.Closed;
  const detail = isClosedThere ? 'closed there, and not back' : 'not shown there';
  return [{ kind: 'batch-not-in-layer', address, window: schedule.window, detail }];
}
