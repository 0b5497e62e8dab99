import { cpus } from 'node:os';
import type { LedgerCalls } from './ledgerCalls.ts';
import type { Statements } from './server.ts';

/** What it took to bring many windows, or workflows, to their end. */
export type Measured = {
  readonly what: string;
  readonly processes: number;
  /** How often these same processes have done as much before: a new one compiles what it runs for the first time. */
  readonly before: number;
  readonly windows: number;
  /** Processes killed when half of the windows were settled. */
  readonly killed?: number;
  /** Runs recorded, each of which has paid everybody. */
  readonly runs?: number;
  /** Seconds from due to the last end. */
  readonly seconds: number;
  /** Seconds of processor time by part. */
  readonly processors: Readonly<Record<string, number>>;
  /** Cores that everything on the machine kept busy. */
  readonly machineCores: number;
  readonly statements: Statements;
  readonly calls?: LedgerCalls;
  /** Megabytes of the largest process, its peak. */
  readonly memory?: number;
  /** Tries of stages beyond the first. */
  readonly furtherTries?: number;
};

/** Windows a second. */
export const perSecond = ({ windows, seconds }: Measured): number => windows / seconds;
const sum = (numbers: Readonly<Record<string, number>>): number =>
  Object.values(numbers).reduce((total, number) => total + number, 0);

/** Part of a core from which on it counts as full: the first windows and the last few of a thousand leave some of it unused. */
const FULL = 0.85;

/** What kept this from being faster: all cores of the machine, or a part whose one thread has a core to itself; undefined: nothing was full. */
export function fullOf({ machineCores, processors, seconds }: Measured): string | undefined {
  const cores = cpus().length;
  if (machineCores >= cores * FULL) return `all ${cores} cores`;
  const ledgers = Object.entries(processors).filter(([part]) => part !== 'coordinators' && part !== 'PostgreSQL');
  return ledgers.find(([, used]) => used / seconds >= FULL)?.[0];
}

/** A line of the table; `limit` is what the engine alone did with as many processes. */
export function rowOf(measured: Measured, limit: Measured | undefined): Record<string, string | number> {
  const {
    what,
    processes,
    before,
    windows,
    seconds,
    processors,
    statements,
    calls,
    memory,
    furtherTries,
    killed,
    runs,
  } = measured;
  const full = fullOf(measured);
  // What a process has used and asked for is gone with it.
  const isWhole = killed === undefined;
  const each = (milliseconds: number) => Number((milliseconds / windows).toFixed(1));
  return {
    what,
    processes,
    'times before': before,
    'windows/s': Number(perSecond(measured).toFixed(1)),
    'to the engine': limit === undefined ? '' : (perSecond(measured) / perSecond(limit)).toFixed(2),
    'statements a window': each(statements.calls),
    'ledger calls a window': calls === undefined || !isWhole ? '' : each(sum(calls)),
    // Processor time.
    ...Object.fromEntries(
      Object.entries(processors).map(([part, used]) => [
        `${part} ms`,
        isWhole || part !== 'coordinators' ? each(used * 1_000) : '',
      ]),
    ),
    'cores used': isWhole ? (sum(processors) / seconds).toFixed(2) : '',
    "machine's": measured.machineCores.toFixed(2),
    full: full ?? '',
    'peak MB': memory ?? '',
    'further tries': furtherTries ?? '',
    runs: runs ?? '',
    ...(killed !== undefined && { killed }),
  };
}

/** What a window costs in detail: its most frequent statements, and its calls. */
export function printDetails({ what, processes, windows, statements, calls }: Measured, most: number): void {
  const each = (count: number) => (count / windows).toFixed(2).padStart(7);
  console.log(`\n${what}, ${processes} processes: a window's statements, with the server's milliseconds for them`);
  for (const { calls, milliseconds, statement } of statements.all
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, most)) {
    console.log(each(calls), (milliseconds / windows).toFixed(3).padStart(7), statement.slice(0, 120));
  }
  if (calls === undefined) return;
  console.log("a window's calls to the ledgers");
  for (const [name, count] of Object.entries(calls)) if (count > 0) console.log(each(count), name);
}
