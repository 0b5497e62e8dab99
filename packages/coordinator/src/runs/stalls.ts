import { RunError } from '../domain/errors.ts';
import type { Silences } from '../ledger/silence.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import type { Metrics } from '../platform/metrics.ts';
import { clearStalls, saveStalls } from '../store/queries/stalls.ts';
import type { Db } from '../store/schema.ts';

const LOOK_MS = 1_000;
const LEDGERS = ['layer', 'base'] as const;
const STALLS = {
  layer: new RunError(
    'layer-unavailable',
    'The execution layer has not answered for some seconds; the run goes on when it does.',
  ),
  base: new RunError(
    'ledger-unavailable',
    'The base ledger has not answered for some seconds; the run goes on when it does.',
  ),
};

export type StallsInput = Omit<LoopContext, 'metrics'> & {
  readonly database: Db;
  readonly silences: Silences;
  /** Ids of runs of which this process tries a stage. */
  readonly underWay: ReadonlySet<number>;
  readonly metrics: Metrics;
};

/** Notes on runs under way that they wait for a ledger, while one is silent, until the signal: its calls may yet be answered or fail. */
export async function watchStalls(input: StallsInput): Promise<void> {
  const { database, silences, underWay, metrics, log } = input;
  let silent: (typeof LEDGERS)[number] | undefined;
  const noted = new Set<number>();
  await runLoop({ ...input, name: 'stalls' }, async (alive) => {
    for (const ledger of LEDGERS) metrics.ledgerSilentSeconds.set({ ledger }, silences[ledger].milliseconds / 1_000);
    const before = silent;
    silent = LEDGERS.find((ledger) => silences[ledger].isSilent);
    if (silent !== undefined && silent !== before)
      log.warn({ code: STALLS[silent].code }, 'ledger silent; runs wait for it');
    if (before !== undefined && silent !== before) {
      log.info({ code: STALLS[before].code }, 'ledger answers again');
      await clearStalls(database, [...noted], STALLS[before].code);
      noted.clear();
      alive();
    }
    if (silent !== undefined) {
      const waiting = [...underWay].filter((id) => !noted.has(id));
      await saveStalls(database, waiting, STALLS[silent]);
      for (const id of waiting) noted.add(id);
    }
    return LOOK_MS;
  });
}
