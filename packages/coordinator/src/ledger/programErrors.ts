import { errorOfTransaction, type ProgramErrorName, programError } from '@payouts/client';
import { RunError, type RunErrorCode } from '../domain/errors.ts';

/** What the program's own errors mean for a run; all others are tried again. */
const MEANING: Partial<Record<ProgramErrorName, RunErrorCode>> = {
  NotExecutionAuthority: 'authority-mismatch',
  InsufficientReserve: 'funding-short',
  ScheduleNotActive: 'schedule-paused',
  NotDue: 'not-due',
  BatchNotClosed: 'batch-not-complete',
  BatchNotComplete: 'batch-not-complete',
  BatchOutOfBounds: 'batch-out-of-bounds',
  StaleRoot: 'liabilities-stale',
  LiabilitiesMismatch: 'liabilities-mismatch',
  LayerLost: 'layer-lost',
  LayerStateLost: 'layer-state-lost',
};

/** The program's error in what a ledger answered, from the transaction's error or else from its logs. */
export function programErrorName(err: unknown, logs: readonly string[] = []): ProgramErrorName | undefined {
  const inError = errorOfTransaction(err);
  if (inError !== undefined) return inError.name;
  for (const line of logs) {
    const hex = /custom program error: 0x([0-9a-f]+)/.exec(line)?.[1];
    const known = hex === undefined ? undefined : programError(Number.parseInt(hex, 16));
    if (known !== undefined) return known.name;
  }
  return undefined;
}

/** The place of the instruction that a transaction's error is about; undefined: it is about none. */
export function instructionOf(err: unknown): number | undefined {
  const place = (err as { InstructionError?: readonly unknown[] } | null)?.InstructionError?.[0];
  return place === undefined ? undefined : Number(place);
}

/** A refused transaction as a run's error. The text holds error names only: logs and bytes may hold what is private. */
export function refusedError(purpose: string, err: unknown, logs: readonly string[] = []): RunError {
  const name = programErrorName(err, logs);
  if (name === undefined) {
    return new RunError('transaction-refused', `The ledger refused the ${purpose}: ${publicText(err)}.`);
  }
  return new RunError(MEANING[name] ?? 'transaction-refused', `The ledger refused the ${purpose}: ${name}.`);
}

/**
 * A transaction's error in short: names and numbers of the runtime, never an address. In words, such as `instruction error: 1, unsupported
 * program id` or `insufficient funds for rent: account index: 1`: the log takes names of several words for bytes.
 */
function publicText(err: unknown): string {
  const json = JSON.stringify(err, (_, value) => (typeof value === 'bigint' ? `${value}` : value)) ?? 'no reason given';
  return json
    .replaceAll(/[1-9A-HJ-NP-Za-km-z]{32,}/g, '…')
    .replaceAll(/["{}[\]]/g, '')
    .replaceAll(/[:,]/g, '$& ')
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z\d])[A-Z]/g, ' $&')
    .toLowerCase()
    .slice(0, 200);
}
