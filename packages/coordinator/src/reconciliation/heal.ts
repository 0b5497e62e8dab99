import type { Schedule, Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { DIFFERENCE_KINDS } from '../domain/differences.ts';
import type { RunKey, UnpaidReasons } from '../domain/run.ts';
import { rootText } from '../ledger/accounts.ts';
import type { LedgerHistory } from '../ledger/history.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { explained, layerLost } from '../runs/unpaid.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { endRunAs, type LedgerEnding, saveLostRun, signaturesOfOthers } from '../store/queries/reconcile.ts';
import { createRuns, findRun, finishRun } from '../store/queries/runs.ts';
import type { Db } from '../store/schema.ts';
import { type Compared, type Difference, lastWindowOf } from './compare.ts';
import { keepReceipts } from './receipts.ts';
import { readWindows, type ScheduleHistory, type WindowHistory } from './windows.ts';

/** Windows of one schedule that are looked for in the ledger's history at a time, the newest first. */
const WINDOWS_AT_ONCE = 200;
/** Milliseconds until what a node's history did not have is looked for again. */
const SEARCH_AGAIN_MS = 24 * 3_600_000;
/** Milliseconds after a settlement within which a node's history may not have it yet. */
const INDEXED_WITHIN_MS = 600_000;

export type HealerInput = {
  readonly database: Db;
  readonly history: LedgerHistory;
  readonly program: Address;
  readonly payloadKeys: PayloadKeys;
  readonly time: Pick<Time, 'now'>;
  readonly log: Logger;
  readonly metrics: Metrics;
};

const NOTHING: ScheduleHistory = { windows: new Map(), isClosed: false };

/**
 * Brings the database to what the base ledger finally says. Each step may be done twice and beside others: it goes by the ledger's state
 * alone, and never sends anything.
 */
export class Healer {
  /** Windows up to which a schedule's history was searched in vain, and when. */
  readonly #searched = new Map<string, { readonly upTo: bigint; readonly at: number }>();

  constructor(private readonly input: HealerInput) {}

  /** Heals what can be healed of a schedule's differences, and returns what was. Throws `RunError` when the ledger can't be read. */
  async heal({ known, schedule }: Compared, differences: readonly Difference[]): Promise<Difference[]> {
    const toHeal = differences.filter(({ kind, address }) => address === known.address && DIFFERENCE_KINDS[kind].heals);
    const past = toHeal.filter(({ kind }) => kind !== 'open-without-run');
    const history = await this.#historyOf(known.address as Address, schedule, past);
    const healed: Difference[] = [];
    for (const difference of toHeal) {
      if (await this.#healOne(difference, schedule, history)) healed.push(difference);
    }
    return healed;
  }

  /** Read only for what the schedule's account does not tell. */
  async #historyOf(
    address: Address,
    schedule: Schedule | undefined,
    differences: readonly Difference[],
  ): Promise<ScheduleHistory> {
    const { history, program, database, time } = this.input;
    const last = schedule && lastWindowOf(schedule)?.window;
    const windows = differences
      .filter(({ kind, window }) => kind === 'run-missing' || kind === 'schedule-gone' || window !== last)
      .flatMap(({ window }) => window ?? []);
    const before = this.#searched.get(address);
    const isRecent = before !== undefined && time.now() - before.at < SEARCH_AGAIN_MS;
    const toSearch = isRecent ? windows.filter((window) => window > before.upTo) : windows;
    if (toSearch.length === 0) return NOTHING;
    const wanted = new Set(toSearch.toSorted((a, b) => Number(b - a)).slice(0, WINDOWS_AT_ONCE));
    const known = (signatures: readonly string[]) => signaturesOfOthers(database, address, [...wanted], signatures);
    const found = await readWindows({ history, program, schedule: address, wanted, known });
    // The newest first.
    const upTo = [...wanted].find((window) => found.windows.get(window)?.ending === undefined);
    if (upTo !== undefined && !this.#isFresh(schedule)) this.#searched.set(address, { upTo, at: time.now() });
    return found;
  }

  /** The schedule's last settlement was a moment ago. */
  #isFresh(schedule: Schedule | undefined): boolean {
    const settledAt = Number(schedule?.lastSettledAt ?? 0n) * 1_000;
    return this.input.time.now() - settledAt < INDEXED_WITHIN_MS;
  }

  async #healOne(
    { kind, address, window }: Difference,
    schedule: Schedule | undefined,
    { windows, isClosed }: ScheduleHistory,
  ): Promise<boolean> {
    if (window === undefined) return false;
    const key = { schedule: address, window };
    const found = windows.get(window) ?? {};
    if (kind === 'open-without-run') return schedule !== undefined && this.#create(key, schedule);
    if (kind === 'run-missing') return schedule !== undefined && this.#rebuild(key, schedule, found);
    if (await this.#end(key, schedule, found)) return true;
    return kind === 'schedule-gone' && isClosed && this.#cancel(key);
  }

  async #create(key: RunKey, schedule: Schedule): Promise<boolean> {
    const { database, metrics, time } = this.input;
    const created = await createRuns(database, [{ ...key, recipients: schedule.windowRecipients }], time.now());
    metrics.runsCreated.inc(created.length);
    return created.length > 0;
  }

  async #rebuild(key: RunKey, schedule: Schedule, found: WindowHistory): Promise<boolean> {
    const ending = this.#endingOf(key, schedule, found);
    if (ending === undefined || (found.ending === undefined && this.#isFresh(schedule))) return false;
    const { opening } = found;
    const recipients = opening?.recipients ?? schedule.recipients;
    const openedAt = opening?.at ?? ending.at;
    const signature = found.ending?.signature;
    const runId = await saveLostRun(this.input.database, {
      schedule: key.schedule,
      ending,
      recipients,
      reasons: reasonsFor({}, recipients, ending, opening?.held ?? 0),
      openedAt,
      transactions: [
        ...(opening ? [{ purpose: 'delegate' as const, signature: opening.signature, at: openedAt }] : []),
        ...(signature === undefined ? [] : [{ purpose: 'settle' as const, signature, at: ending.at }]),
      ],
    });
    if (runId !== undefined) await this.#keepReceipts(key, runId, schedule, found);
    return true;
  }

  async #end(key: RunKey, schedule: Schedule | undefined, found: WindowHistory): Promise<boolean> {
    const { database, metrics } = this.input;
    const ending = this.#endingOf(key, schedule, found);
    const run = await findRun(database, key);
    if (ending === undefined || run === undefined) return false;
    const held = run.unpaid_reasons.held ?? found.opening?.held ?? 0;
    await endRunAs(database, run.id, ending, reasonsFor(run.unpaid_reasons, run.claims_total, ending, held));
    if (run.finished_at === null) metrics.runRests.inc({ state: 'settled' });
    await this.#keepReceipts(key, run.id, schedule, found);
    return true;
  }

  async #cancel(key: RunKey): Promise<boolean> {
    const { database, metrics, time } = this.input;
    const run = await findRun(database, key);
    if (run === undefined) return false;
    const before = await finishRun(database, run.id, { state: 'cancelled', paidAmount: null, at: time.now() });
    if (before === undefined) return false;
    metrics.runRests.inc({ state: 'cancelled' });
    return true;
  }

  /** How a window ended: by the history, or else by the schedule's account if it was the last one. */
  #endingOf({ window }: RunKey, schedule: Schedule | undefined, { ending }: WindowHistory): LedgerEnding | undefined {
    const last = schedule && lastWindowOf(schedule);
    const isLast = last?.window === window;
    if (ending === undefined && !isLast) return undefined;
    const settledAt = schedule === undefined ? this.input.time.now() : Number(schedule.lastSettledAt) * 1_000;
    return {
      window,
      claimsPaid: isLast ? last.paidCount : ending?.paidCount,
      paidAmount: isLast ? last.paidAmount : ending?.paidAmount,
      at: ending?.at ?? settledAt,
      ...(ending?.isReclaimed && { isReclaimed: true }),
    };
  }

  async #keepReceipts(key: RunKey, runId: number, schedule: Schedule | undefined, found: WindowHistory): Promise<void> {
    const { database, payloadKeys, log } = this.input;
    const last = schedule && lastWindowOf(schedule);
    const isLast = last?.window === key.window;
    const hash = isLast ? Uint8Array.from(schedule?.lastBitmapHash as Uint8Array) : found.ending?.bitmapHash;
    const paidCount = isLast ? last.paidCount : found.ending?.paidCount;
    const root = schedule && found.opening?.hasPresentRoot ? rootText(schedule) : undefined;
    try {
      await keepReceipts(database, payloadKeys, { ...key, runId, paidCount, hash, root });
    } catch (error) {
      log.warn({ error: (error as Error).name }, 'who was paid could not be kept');
    }
  }
}

/** Why recipients stayed unpaid, where the ledger says how many were paid. */
function reasonsFor(
  found: UnpaidReasons,
  recipients: number,
  { claimsPaid, isReclaimed }: LedgerEnding,
  held: number,
): UnpaidReasons {
  if (isReclaimed) return layerLost(recipients);
  return claimsPaid === undefined ? found : explained(found, recipients - claimsPaid, held);
}
