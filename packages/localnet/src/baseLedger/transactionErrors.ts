import type { FailedTransactionMetadata } from 'litesvm/dist/internal.js';
import { isArray, type Json } from './json.ts';

/** A transaction error in Solana's JSON shape, such as `"BlockhashNotFound"` or `{"InstructionError":[0,{"Custom":1}]}`. */
export type TransactionErrorJson = Exclude<Json, null>;

/**
 * Why a transaction failed, in the JSON shape Solana's RPC uses. litesvm's accessor has numbers alone, whose names are in its types only;
 * its text has the names, as Rust writes them: `InstructionError(0, Custom(1))`, `InsufficientFundsForRent { account_index: 0 }`.
 */
export function toTransactionErrorJson(failed: FailedTransactionMetadata): TransactionErrorJson {
  const said = /err: (.*?), meta: TransactionMetadata/s.exec(failed.toString())?.[1] ?? 'UnknownTransactionError';
  const [, name = said, index, inner] = /^(\w+)\((\d+)(?:, (.*))?\)$/s.exec(said) ?? [];
  if (inner !== undefined) {
    const code = /^Custom\((\d+)\)$/.exec(inner)?.[1];
    return { [name]: [Number(index), code === undefined ? inner.replace(/\W.*/s, '') : { Custom: Number(code) }] };
  }
  if (index !== undefined) return { [name]: Number(index) };
  const [, named = said, account] = /^(\w+) \{ account_index: (\d+) \}$/.exec(said) ?? [];
  return account === undefined ? said : { [named]: { account_index: Number(account) } };
}

const SENTENCES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidProgramForExecution: 'This program may not be used for executing instructions',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  SignatureFailure: 'Transaction did not pass signature verification',
};

/** A transaction error as the sentence Solana's RPC puts into its messages. */
export function describeTransactionError(error: TransactionErrorJson): string {
  if (typeof error === 'string') return SENTENCES[error] ?? words(error);
  if (typeof error !== 'object' || isArray(error)) return String(error);
  const instruction = error.InstructionError;
  if (instruction !== null && instruction !== undefined && isArray(instruction)) {
    return `Error processing Instruction ${instruction[0]}: ${describeInstructionError(instruction[1] ?? null)}`;
  }
  return words(Object.keys(error)[0] ?? 'Unknown');
}

function describeInstructionError(error: Json): string {
  if (typeof error === 'string') return words(error);
  if (error !== null && typeof error === 'object' && !isArray(error)) {
    const custom = error.Custom;
    if (typeof custom === 'number') return `custom program error: 0x${custom.toString(16)}`;
  }
  return 'unknown error';
}

/** `InvalidAccountData` as `invalid account data`. */
function words(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
