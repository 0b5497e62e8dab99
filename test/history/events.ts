// What a history is made of. Base units are numbers here: a run moves far fewer than 2^53 of them.

/** A recipient's line of a list. */
export type Entry = { readonly recipient: string; readonly index: number; readonly amount: number };

/** A list that an employer promises on the ledger; its root, hexadecimal, is no other list's. */
type Promised = {
  readonly schedule: string;
  readonly mint: string;
  readonly root: string;
  readonly list: readonly Entry[];
};

/** What clients ask for, by the function's name. */
export type Questions = {
  /** An employer's, on the ledger itself. */
  readonly create: Promised;
  readonly change: Promised;
  readonly pause: { readonly schedule: string };
  readonly resume: { readonly schedule: string };
  readonly cancel: { readonly schedule: string };
  readonly hold: { readonly schedule: string; readonly index: number };
  /** An employer's, of a coordinator. */
  readonly register: { readonly schedule: string; readonly root: string };
  readonly schedule: { readonly schedule: string };
  readonly runs: { readonly schedule: string };
  /** A recipient's, of a coordinator. A wallet takes part in one withdrawal only. */
  readonly balances: { readonly recipient: string };
  readonly history: { readonly recipient: string };
  readonly receipts: { readonly recipient: string; readonly schedule: string };
  readonly withdraw: {
    readonly recipient: string;
    readonly mint: string;
    readonly amount: number;
    readonly wallet: string;
  };
  /** Somebody's who reads the ledgers themselves: a schedule as it is final, and all balances of a token in the layer. */
  readonly final: { readonly schedule: string };
  readonly layer: { readonly mint: string };
  /** The operator's: a run that has stopped goes on. */
  readonly goOn: { readonly schedule: string; readonly window: number };
};

export type Name = keyof Questions;

/** A try of a stage of a run. */
export type Attempt = { readonly stage: string; readonly number: number; readonly outcome: string | null };

/** A window's run, as a coordinator shows it. Times in unix milliseconds. */
export type Run = {
  readonly window: number;
  readonly state: string;
  readonly paid: number;
  readonly total: number;
  readonly paidAmount: number | null;
  readonly unpaid: number;
  /** Recipients who are not paid, by the reasons that are told. */
  readonly explained: number;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly errorCode: string | null;
  readonly attempts: readonly Attempt[];
};

export type Receipt = {
  readonly window: number;
  readonly root: string;
  readonly index: number;
  readonly amount: number;
  /** Null: the coordinator does not know. */
  readonly paid: boolean | null;
};

/** A payment in a recipient's history; not `known`: the list says so, and whether it was paid nobody knows. */
export type Payment = {
  readonly schedule: string;
  readonly window: number;
  readonly amount: number;
  readonly known: boolean;
};

export type UnderWay = { readonly wallet: string; readonly amount: number };

/** What is answered. Null for a schedule that is not known there. */
export type Answers = {
  readonly [F in Name]: F extends 'register'
    ? { readonly created: boolean }
    : F extends 'schedule'
      ? {
          readonly window: number;
          readonly root: string;
          readonly rootVersion: number;
          readonly registered: boolean;
        } | null
      : F extends 'runs'
        ? readonly Run[] | null
        : F extends 'balances'
          ? readonly { readonly mint: string; readonly amount: number }[]
          : F extends 'history'
            ? readonly Payment[]
            : F extends 'receipts'
              ? readonly Receipt[]
              : F extends 'final'
                ? { readonly window: number }
                : F extends 'layer'
                  ? readonly {
                      readonly recipient: string;
                      readonly amount: number;
                      readonly underWay: readonly UnderWay[];
                    }[]
                  : null;
};

/** What an account of the base ledger held after a transaction. */
export type LedgerVault = {
  readonly address: string;
  readonly mint: string;
  readonly tokenAccount: string;
  readonly deposited: number;
  readonly withdrawn: number;
  readonly reserved: number;
  readonly open: number;
  readonly paid: number;
};
export type LedgerPool = {
  readonly mint: string;
  readonly tokenAccount: string;
  readonly movedIn: number;
  readonly returned: number;
  readonly paidOut: number;
  readonly open: number;
};
export type LedgerSchedule = {
  readonly address: string;
  readonly mint: string;
  readonly root: string;
  readonly status: 'active' | 'paused' | 'cancelled' | 'completed' | 'awaiting';
  readonly isOpen: boolean;
  /** Number of the open window, or of the next one. */
  readonly window: number;
  /** When the next one may open, unix seconds of the ledger's clock. */
  readonly dueAt: number;
  readonly executionsLeft: number;
  readonly held: readonly number[];
  readonly windowAmount: number;
  readonly windowRecipients: number;
  readonly windowHeld: number;
  readonly lastPaidAmount: number;
  readonly lastPaidCount: number;
};
/** A token account of a vault, a pool or a recipient's wallet. */
export type LedgerTokens = {
  readonly address: string;
  readonly mint: string;
  readonly owner: string;
  readonly amount: number;
};

/** What a transaction made of the accounts that it wrote. */
export type LedgerChange = {
  readonly vaults: readonly LedgerVault[];
  readonly pools: readonly LedgerPool[];
  readonly schedules: readonly LedgerSchedule[];
  readonly tokens: readonly LedgerTokens[];
};

type Asked = { readonly [F in Name]: { readonly f: F; readonly asked: Questions[F] } }[Name];

/** `at` is in milliseconds of the recording process's monotonic clock. */
export type Event = { readonly at: number } & (
  | ({ readonly kind: 'invoke'; readonly id: number; readonly process: string } & Asked)
  /** It has happened, and was answered so. */
  | { readonly kind: 'ok'; readonly id: number; readonly answer: unknown }
  /** It has not happened and will not. */
  | { readonly kind: 'fail'; readonly id: number; readonly error: string }
  /** It may have happened, and may still. */
  | { readonly kind: 'unknown'; readonly id: number; readonly error: string }
  /** Something is done to the system, or ends. */
  | { readonly kind: 'fault'; readonly fault: string; readonly of: string; readonly phase: 'begin' | 'end' }
  /** A transaction that landed on the base ledger, with that ledger's time in unix seconds. */
  | ({ readonly kind: 'ledger'; readonly time: number } & LedgerChange)
  /** Everything is whole again from here on, and clients begin nothing new but reads. */
  | { readonly kind: 'healed' }
);

export type History = readonly Event[];
