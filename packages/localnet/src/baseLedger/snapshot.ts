import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { LocalnetError, messageOf } from '../errors.ts';
import type { AccountRecord } from './account.ts';
import type { Moment } from './records.ts';

/** The state at one place of the journal, so that a start needs not replay everything before it. */
export interface Snapshot extends Moment {
  readonly version: 1;
  /** base58; names this ledger, made anew with each reset */
  readonly genesisHash: string;
  /** Records before this byte of the journal are in the accounts below. */
  readonly journalOffset: number;
  /** Transactions before this byte of the journal are no longer found by signature or address. */
  readonly historyOffset: number;
  /** ledger time minus machine time, seconds */
  readonly clockOffset: number;
  readonly transactionCount: number;
}

/** A snapshot with its accounts, by address. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  readonly accounts: Map<string, AccountRecord>;
}

/** Reads a snapshot; null when there is none. */
export function readSnapshot(path: string): LoadedSnapshot | null {
  if (!existsSync(path)) return null;
  try {
    const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
    const accounts = new Map<string, AccountRecord>();
    for (const line of lines) {
      const account = JSON.parse(line) as AccountRecord;
      accounts.set(account.address, account);
    }
    return { snapshot: JSON.parse(head) as Snapshot, accounts };
  } catch (error) {
    throw new LocalnetError(
      'JOURNAL_DAMAGED',
      `${path} is damaged (${messageOf(error)}): restore it or start anew with --reset.`,
    );
  }
}

/** Replaces the snapshot in one step: a reader sees the old or the new one, never half of it. */
export function writeSnapshot(path: string, snapshot: Snapshot, accounts: Iterable<AccountRecord>): void {
  const lines = [JSON.stringify(snapshot)];
  for (const account of accounts) lines.push(JSON.stringify(account));
  const next = `${path}.next`;
  writeFileSync(next, `${lines.join('\n')}\n`);
  renameSync(next, path);
}
