import { Random } from '@payouts/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from './check/check.ts';
import type { AnomalyKind } from './check/model.ts';
import type { Event, History, LedgerSchedule, Name, Run } from './events.ts';
import { Honest } from './honest.ts';

const RUNS = 100;
/** Histories of each lie. */
const TOLD = 10;
/** Seconds after which whatever is due should have been done. */
const LONG = 100;
const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const honest = (seed: number): History => new Honest(new Random(seed)).history;

type Answered = Event & { readonly kind: 'ok'; readonly answer: never };
type Ledger = Extract<Event, { readonly kind: 'ledger' }>;

/** A history in which one event is another. */
const replaced = (history: History, place: number, event: object): History =>
  history.map((each, at) => (at === place ? ({ ...each, ...event } as Event) : each));

/** Places of the ends of calls of a function that were answered so. */
function endsOf<A>(history: History, f: Name, isIt: (answer: A) => boolean): number[] {
  const ids = new Set(history.flatMap((event) => (event.kind === 'invoke' && event.f === f ? [event.id] : [])));
  return [...history.keys()].filter((at) => {
    const event = history[at] as Answered;
    return event.kind === 'ok' && ids.has(event.id) && isIt(event.answer as A);
  });
}

/** A history in which the last such answer is another; undefined: there is none. */
function answering<A>(history: History, f: Name, change: (answer: A) => A | undefined): History | undefined {
  const place = endsOf<A>(history, f, (answer) => change(answer) !== undefined).at(-1);
  if (place === undefined) return undefined;
  return replaced(history, place, { answer: change((history[place] as Answered).answer as A) });
}

/** A history in which a transaction of the ledger has made something else. */
function writing(
  history: History,
  change: (event: Ledger, before: ReadonlyMap<string, LedgerSchedule>) => object | undefined,
): History | undefined {
  const before = new Map<string, LedgerSchedule>();
  for (const [place, event] of history.entries()) {
    if (event.kind !== 'ledger') continue;
    const changed = change(event, before);
    if (changed !== undefined) return replaced(history, place, changed);
    for (const schedule of event.schedules) before.set(schedule.address, schedule);
  }
  return undefined;
}

/** A history in which a withdrawal that ended so has ended in another way. */
function ending(history: History, from: string, to: string, arrived: boolean): History | undefined {
  const asked = new Map(
    history.flatMap((event) =>
      event.kind === 'invoke' && event.f === 'withdraw' ? [[event.id, (event.asked as { wallet: string }).wallet]] : [],
    ),
  );
  const wallets = new Set(
    history.flatMap((event) => (event.kind === 'ledger' ? event.tokens : [])).map((each) => each.owner),
  );
  const place = history.findIndex(
    (event) =>
      event.kind === from && 'id' in event && asked.has(event.id) && wallets.has(asked.get(event.id) ?? '') === arrived,
  );
  return place < 0 ? undefined : replaced(history, place, { kind: to });
}

type Amounts = readonly { readonly amount: number }[];
const first =
  <T extends { amount: number }>(by: number) =>
  (all: readonly T[]) =>
    all.map((each, place) => (place === 0 ? { ...each, amount: each.amount + by } : each));
const settled = (runs: readonly Run[] | null, change: Partial<Run>) =>
  runs?.some(({ state }) => state === 'settled')
    ? runs.map((run) => (run.state === 'settled' ? { ...run, ...change } : run))
    : undefined;

type Runs = readonly Run[] | null;
/** A history in which the last such answer of a coordinator about runs is another. */
const telling = (history: History, change: (runs: Runs) => Runs | undefined) =>
  answering<Runs>(history, 'runs', change);

/** The last read of a registered schedule says that there is none. */
function lastRunsUnknown(history: History): History | undefined {
  const acknowledged = endsOf(history, 'register', () => true)[0];
  const place = endsOf<Runs>(history, 'runs', (runs) => runs !== null).at(-1);
  return acknowledged === undefined || place === undefined ? undefined : replaced(history, place, { answer: null });
}

/** A list that was new is new again. */
function newTwice(history: History): History | undefined {
  const rootOf = (place: number) => {
    const { id } = history[place] as Answered & { readonly id: number };
    const begun = history.find((event) => event.kind === 'invoke' && event.id === id);
    return ((begun as { asked?: unknown }).asked as { root: string }).root;
  };
  const old = endsOf<{ created: boolean }>(history, 'register', ({ created }) => created);
  const again = endsOf<{ created: boolean }>(history, 'register', ({ created }) => !created);
  const place = again.find((each) => old.some((other) => rootOf(other) === rootOf(each)));
  return place === undefined ? undefined : replaced(history, place, { answer: { created: true } });
}

/** The last settlement is something else, and the ledger's time goes on for long afterwards. */
function lastSettlement(history: History, change: (schedule: LedgerSchedule) => LedgerSchedule[]): History | undefined {
  const isSettlement = (event: Event): event is Ledger =>
    event.kind === 'ledger' && event.schedules.some(({ executionsLeft, isOpen }) => !isOpen && executionsLeft === 0);
  const place = history.findLastIndex(isSettlement);
  const last = history[place] as Ledger | undefined;
  if (last === undefined) return undefined;
  const later = { ...last, at: last.at + LONG * 1_000, time: last.time + LONG, schedules: [] };
  return [...replaced(history, place, { schedules: last.schedules.flatMap(change) }), later];
}

/** What can be made of an honest history, and what must be found in it then. */
const LIES: readonly (readonly [what: string, kind: AnomalyKind, lie: (history: History) => History | undefined])[] = [
  [
    'a recipient has a base unit more than they were paid',
    'double-payment',
    (h) => answering<Amounts>(h, 'layer', first(1)),
  ],
  [
    'a recipient has a base unit less',
    'lost-payment',
    (h) => answering<Amounts>(h, 'layer', (all) => (all[0]?.amount ? first(-1)(all) : undefined)),
  ],
  [
    'a base unit leaves a vault without a trace',
    'unaccounted',
    (h) =>
      writing(h, ({ tokens }) =>
        tokens[0]?.amount
          ? { tokens: [{ ...tokens[0], amount: tokens[0].amount - 1 }, ...tokens.slice(1)] }
          : undefined,
      ),
  ],
  [
    'a window opens a second early',
    'early-payment',
    (h) =>
      writing(h, ({ schedules: [now] }, before) =>
        now?.isOpen && before.get(now.address)?.isOpen === false
          ? { time: (before.get(now.address) as LedgerSchedule).dueAt - 1 }
          : undefined,
      ),
  ],
  [
    'a window has the number of the one before',
    'double-payment',
    (h) =>
      writing(h, ({ schedules: [now] }, before) =>
        now && !now.isOpen && before.get(now.address)?.isOpen
          ? { schedules: [{ ...now, window: now.window - 1 }] }
          : undefined,
      ),
  ],
  [
    'a window pays more than its amount',
    'unaccounted',
    (h) =>
      writing(h, ({ schedules: [now] }, before) =>
        now && !now.isOpen && before.get(now.address)?.isOpen
          ? { schedules: [{ ...now, lastPaidAmount: 10_000 }] }
          : undefined,
      ),
  ],
  [
    'a window is due and never opens',
    'lost-payment',
    (h) => lastSettlement(h, (schedule) => [{ ...schedule, executionsLeft: 1, status: 'active' }]),
  ],
  ['a window opens and is never settled', 'lost-payment', (h) => lastSettlement(h, () => [])],
  ['a withdrawal was taken and never arrives', 'lost-withdrawal', (h) => ending(h, 'unknown', 'ok', false)],
  ['a withdrawal was refused and arrives', 'double-withdrawal', (h) => ending(h, 'ok', 'fail', true)],
  [
    'a run is gone from the list',
    'stale-read',
    (h) => telling(h, (runs) => (runs && runs.length > 1 ? runs.slice(1) : undefined)),
  ],
  [
    'a settled run runs again',
    'stale-read',
    (h) => telling(h, (runs) => settled(runs, { state: 'running', finishedAt: null })),
  ],
  ['a run was created again', 'stale-read', (h) => telling(h, (runs) => settled(runs, { createdAt: -1 }))],
  ['runs have paid fewer than before', 'stale-read', (h) => telling(h, (runs) => settled(runs, { paid: -1 }))],
  [
    'a page of runs overlaps the one before',
    'stale-read',
    (h) => telling(h, (runs) => (runs?.[0] ? [runs[0], ...runs] : undefined)),
  ],
  [
    'a payment is gone from a history',
    'stale-read',
    (h) => answering<Amounts>(h, 'history', (all) => (all.length > 0 ? all.slice(1) : undefined)),
  ],
  [
    'a payment stands in a history twice',
    'stale-read',
    (h) => answering<Amounts>(h, 'history', (all) => (all[0] ? [all[0], ...all] : undefined)),
  ],
  [
    'a balance is shown as larger than it can be',
    'stale-read',
    (h) => answering<Amounts>(h, 'balances', (all) => first(10_000)(all)),
  ],
  ['a list is new a second time', 'lost-registration', newTwice],
  [
    'a registered list is told to be missing',
    'lost-registration',
    (h) =>
      answering<{ registered: boolean } | null>(h, 'schedule', (view) =>
        view ? { ...view, registered: false } : undefined,
      ),
  ],
  ['a registered schedule is not known', 'lost-registration', lastRunsUnknown],
  [
    'a window is told to be settled and is not final',
    'reported-before-final',
    (h) => answering<{ window: number }>(h, 'final', ({ window }) => (window > 0 ? { window: window - 1 } : undefined)),
  ],
  [
    'a run says another sum than the ledger',
    'false-answer',
    (h) => telling(h, (runs) => settled(runs, { paidAmount: 1 })),
  ],
  [
    'a run says that fewer were paid than the ledger',
    'false-answer',
    (h) => telling(h, (runs) => settled(runs, { total: 7 })),
  ],
  [
    'a receipt says the contrary of the ledger',
    'false-answer',
    (h) =>
      answering<readonly { paid: boolean | null }[]>(h, 'receipts', (all) =>
        all.length > 0 ? all.map((receipt) => ({ ...receipt, paid: !receipt.paid })) : undefined,
      ),
  ],
  [
    'a receipt says another amount than the list',
    'false-answer',
    (h) => answering<Amounts>(h, 'receipts', (all) => (all[0] ? first(1)(all) : undefined)),
  ],
  [
    'a history says another amount than the list',
    'false-answer',
    (h) => answering<Amounts>(h, 'history', (all) => (all[0] ? first(1)(all) : undefined)),
  ],
  [
    'nobody says why somebody was not paid',
    'lost-payment',
    (h) =>
      telling(h, (runs) =>
        runs?.some(({ unpaid }) => unpaid > 0) ? runs.map((run) => ({ ...run, explained: 0 })) : undefined,
      ),
  ],
  [
    'a try is broken off though nothing was done to anybody',
    'work-taken-away',
    (h) => telling(h, (runs) => settled(runs, { attempts: [{ stage: 'claim', number: 1, outcome: 'interrupted' }] })),
  ],
];

describe('a history', () => {
  it('of a system that does everything right has no anomaly, however its calls overlap', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        expect(check(honest(seed))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(LIES)('in which %s has an anomaly: %s', (_, kind, lie) => {
    let told = 0;
    for (let seed = 0; seed < RUNS && told < TOLD; seed++) {
      const history = lie(honest(seed));
      if (history === undefined) continue;
      told += 1;
      expect(
        check(history).map((anomaly) => anomaly.kind),
        `seed ${seed}`,
      ).toContain(kind);
    }
    expect(told).toBe(TOLD);
  });
});
