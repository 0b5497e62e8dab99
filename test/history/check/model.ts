import type {
  Answers,
  Entry,
  Event,
  History,
  LedgerPool,
  LedgerSchedule,
  LedgerTokens,
  LedgerVault,
  Name,
  Questions,
} from '../events.ts';

/** What a history shows that must not be. */
export type AnomalyKind =
  | 'unaccounted'
  | 'early-payment'
  | 'double-payment'
  | 'lost-payment'
  | 'lost-withdrawal'
  | 'double-withdrawal'
  | 'stale-read'
  | 'lost-registration'
  | 'reported-before-final'
  | 'false-answer'
  | 'work-taken-away';
export type Anomaly = { readonly kind: AnomalyKind; readonly sentence: string };

/** A call with its end. `began` and `ended` say in which order things happened; what has no end may happen for ever. */
export type Operation<F extends Name = Name> = {
  readonly id: number;
  readonly process: string;
  readonly f: F;
  readonly asked: Questions[F];
  readonly began: number;
  readonly beganAt: number;
  readonly ended: number;
  readonly endedAt: number;
  readonly outcome: 'ok' | 'fail' | 'unknown';
  readonly answer: Answers[F] | undefined;
};

/** Every call of a history, in the order in which they began. */
export function operationsOf(history: History): Operation[] {
  const found = new Map<number, Operation>();
  for (const [place, event] of history.entries()) {
    if (event.kind === 'invoke') {
      const { id, process, f, asked, at } = event;
      const open = { ended: Number.POSITIVE_INFINITY, endedAt: Number.POSITIVE_INFINITY, answer: undefined };
      found.set(id, { id, process, f, asked, began: place, beganAt: at, outcome: 'unknown', ...open });
    }
    if (event.kind !== 'ok' && event.kind !== 'fail' && event.kind !== 'unknown') continue;
    const begun = found.get(event.id);
    if (begun === undefined) throw new Error(`The history has an end of operation ${event.id} without its beginning.`);
    // What is not known may still happen.
    if (event.kind === 'unknown') continue;
    const answer = event.kind === 'ok' ? (event.answer as Operation['answer']) : undefined;
    found.set(event.id, { ...begun, ended: place, endedAt: event.at, outcome: event.kind, answer });
  }
  return [...found.values()];
}

/** The calls of one function. */
export const callsOf = <F extends Name>(operations: readonly Operation[], f: F): Operation<F>[] =>
  operations.filter((operation) => operation.f === f) as unknown as Operation<F>[];

/** Those that were answered, with the answer. */
export const answered = <F extends Name>(operations: readonly Operation[], f: F) =>
  callsOf(operations, f).filter(
    (operation): operation is Operation<F> & { readonly answer: Answers[F] } => operation.outcome === 'ok',
  );

/** Values by a key of them. */
export function grouped<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

/** A window as the base ledger's transactions tell it. Times in milliseconds of the history's clock. */
export type Window = {
  readonly schedule: string;
  readonly mint: string;
  readonly number: number;
  readonly root: string;
  readonly held: readonly number[];
  readonly recipients: number;
  readonly openedAt: number;
  settledAt: number;
  paidAmount: number;
  paidCount: number;
};

export type LedgerEvent = Extract<Event, { readonly kind: 'ledger' }>;

/** All accounts as they stand between two transactions. */
export type LedgerState = {
  readonly vaults: Map<string, LedgerVault>;
  readonly pools: Map<string, LedgerPool>;
  readonly schedules: Map<string, LedgerSchedule>;
  readonly tokens: Map<string, LedgerTokens>;
};

export const emptyState = (): LedgerState => ({
  vaults: new Map(),
  pools: new Map(),
  schedules: new Map(),
  tokens: new Map(),
});

/** Puts what a transaction has written in place. */
export function apply(state: LedgerState, { vaults, pools, schedules, tokens }: LedgerEvent): void {
  for (const vault of vaults) state.vaults.set(vault.address, vault);
  for (const pool of pools) state.pools.set(pool.mint, pool);
  for (const schedule of schedules) state.schedules.set(schedule.address, schedule);
  for (const account of tokens) state.tokens.set(account.address, account);
}

export const ledgerEventsOf = (history: History): LedgerEvent[] =>
  history.filter((event): event is LedgerEvent => event.kind === 'ledger').sort((one, other) => one.at - other.at);

/** Every window that was opened, and the ledger as it is in the end. */
export function replay(events: readonly LedgerEvent[]): { readonly windows: Window[]; readonly state: LedgerState } {
  const state = emptyState();
  const windows = new Map<string, Window>();
  for (const event of events) {
    for (const now of event.schedules) {
      const before = state.schedules.get(now.address);
      const key = (number: number) => `${now.address} ${number}`;
      if (now.isOpen && before?.isOpen !== true) {
        const { address: schedule, mint, window: number, root, held, windowRecipients: recipients } = now;
        const unsettled = { settledAt: Number.POSITIVE_INFINITY, paidAmount: 0, paidCount: 0 };
        const opened = { schedule, mint, number, root, held, recipients, openedAt: event.at, ...unsettled };
        windows.set(key(number), opened);
      }
      const window = before?.isOpen === true && !now.isOpen ? windows.get(key(before.window)) : undefined;
      if (window === undefined) continue;
      window.settledAt = event.at;
      window.paidAmount = now.lastPaidAmount;
      window.paidCount = now.lastPaidCount;
    }
    apply(state, event);
  }
  return { windows: [...windows.values()], state };
}

/** What checks ask about: made once of a history. */
export type Facts = {
  readonly operations: readonly Operation[];
  readonly ledger: readonly LedgerEvent[];
  readonly windows: readonly Window[];
  readonly state: LedgerState;
  /** Lists that were promised, by their roots. */
  readonly lists: ReadonlyMap<string, readonly Entry[]>;
  readonly faults: readonly Extract<Event, { readonly kind: 'fault' }>[];
  /** When all was whole again, by the history's order; undefined: it was broken off. */
  readonly healed: number | undefined;
};

export function factsOf(history: History): Facts {
  const operations = operationsOf(history);
  const ledger = ledgerEventsOf(history);
  const promised = [...callsOf(operations, 'create'), ...callsOf(operations, 'change')];
  const healed = history.findIndex(({ kind }) => kind === 'healed');
  return {
    operations,
    ledger,
    ...replay(ledger),
    lists: new Map(promised.map(({ asked: { root, list } }) => [root, list])),
    faults: history.filter((event) => event.kind === 'fault'),
    healed: healed < 0 ? undefined : healed,
  };
}

/** Whether everybody of a window was paid who was not held back: then it is known who was. */
export const isPaidInFull = ({ paidCount, recipients, held }: Window): boolean =>
  paidCount === recipients - held.length;

/** What a window's list says of a recipient who was not held back. */
export const entriesIn = (lists: Facts['lists'], { root, held }: Window, recipient: string): Entry[] =>
  (lists.get(root) ?? []).filter((entry) => entry.recipient === recipient && !held.includes(entry.index));

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
