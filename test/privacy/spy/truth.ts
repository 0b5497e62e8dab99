/** An entry of a list as it was paid; `windows`: of which windows. */
export type Paid = {
  readonly schedule: string;
  readonly mint: string;
  readonly recipient: string;
  readonly amount: string;
  readonly index: number;
  readonly delivery: string;
  readonly windows: readonly number[];
};

/**
 * Money that a recipient asked for. `isCareless`: all of a window's amount, to one wallet that got nothing else; `inRound`: a part that left in a
 * round with others.
 */
export type Taken = {
  readonly recipient: string;
  readonly schedule: string;
  readonly wallet: string;
  readonly peer: string;
  readonly amount: string;
  readonly isCareless: boolean;
  readonly inRound: boolean;
};

/** Money that a recipient has paid to somebody's payment code, from what a schedule pays them. */
export type PaidInside = {
  readonly recipient: string;
  readonly schedule: string;
  readonly mint: string;
  readonly code: string;
  readonly amount: string;
};

/** What the judge knows and the spy does not. */
export type Truth = {
  readonly candidates: number;
  readonly salaries: number;
  /** Schedules by token. */
  readonly schedules: Readonly<Record<string, readonly string[]>>;
  readonly paid: readonly Paid[];
  readonly taken: readonly Taken[];
  readonly inside: readonly PaidInside[];
  /** Fresh wallets that were emptied through the relay, and from which address. */
  readonly spent: readonly { readonly wallet: string; readonly peer: string }[];
  /** Whose the payment codes are that were published. */
  readonly codes: readonly { readonly recipient: string; readonly mint: string; readonly code: string }[];
  /** Who made each private read, in order of time, from which address. */
  readonly readers: readonly {
    readonly recipient: string;
    readonly schedule: string;
    readonly amount: string;
    readonly peer: string;
  }[];
  /** Who gave in each list, in order of time, from which address. */
  readonly uploads: readonly { readonly schedule: string; readonly peer: string }[];
  /** Where each private balance is, in the execution layer; of a payment code's, by no schedule. */
  readonly places: readonly {
    readonly recipient: string;
    readonly schedule: string;
    readonly mint: string;
    readonly page: string;
    readonly slot: number;
  }[];
  readonly colleague: string;
  /** The schedule that the service was told to forget. */
  readonly forgotten: string;
};
