/** What is to be paid, and in what time. */
export type Scenario = {
  readonly recipients: number;
  readonly schedules: number;
  /** Windows of each schedule a month, and hours in which those of one payday are to be settled. */
  readonly windowsAMonth: number;
  readonly hours: number;
};

export const MILLION: Scenario = { recipients: 1_000_000, schedules: 100_000, windowsAMonth: 1, hours: 1 };

/** Measured numbers by name, as measures give them. */
export type Facts = Readonly<Record<string, number>>;

/** Without these there is no model. */
export const NEEDED = [
  'addressMicroseconds',
  'baseTransactionsAWindow',
  'bytesASchedule',
  'coordinatorMb',
  'coordinatorMsAWindow',
  'databaseBytesAWindow',
  'lamportsANewRecipient',
  'lamportsAWindow',
  'largestWindow',
  'largestWindowMemoryMb',
  'layerMsAWindow',
  'pollDue',
  'pollMs',
  'postgresMsAWindow',
  'registeredBytesARecipient',
  'smallWindowsASecond',
  'smallestWindowMemoryMb',
  'unitsKnown',
  'unitsNew',
  'withdrawalLookMs',
] as const;

export type Known = Readonly<Record<(typeof NEEDED)[number], number>>;

/** Names of what is missing. */
export const missingOf = (facts: Facts): string[] => NEEDED.filter((name) => !Number.isFinite(facts[name]));
