import { isSolanaError } from '@solana/kit';
import { programError } from '../accounts/errors.ts';

/** A transaction that a ledger refused or never took. `code` is the program's own error name where it gave one. */
export class TransactionFailed extends Error {
  override readonly name = 'TransactionFailed';
  readonly code: string;
  readonly logs: readonly string[];

  constructor(code: string, message: string, logs: readonly string[]) {
    super(message);
    this.code = code;
    this.logs = logs;
  }
}

/** The program's own error in a transaction's logs, else what the ledger said. */
export function refusal(logs: readonly string[], said: unknown): TransactionFailed {
  for (const line of logs) {
    const hex = /custom program error: 0x([0-9a-f]+)/.exec(line)?.[1];
    if (hex !== undefined) {
      const known = programError(Number.parseInt(hex, 16));
      if (known !== undefined) return new TransactionFailed(known.name, known.message, logs);
    }
  }
  const text = isSolanaError(said)
    ? `${said.message} (${said.context.__code})`
    : JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const [, code, sentence] = REFUSALS.find(([sign]) => [text, ...logs].some((line) => sign.test(line))) ?? [];
  if (code !== undefined && sentence !== undefined) return new TransactionFailed(code, sentence, logs);
  return new TransactionFailed('transaction-failed', `The ledger refused the transaction: ${text}`, logs);
}

/** What refusals mean that whoever sends can do something about: by the name or kit's number of the ledger's error, or a line of its log. */
const REFUSALS: readonly (readonly [RegExp, string, string])[] = [
  [
    /\b(AccountNotFound|7050003|InsufficientFundsForFee|7050005)\b/,
    'sol-missing',
    'The key that pays has no SOL for the fee. Send some to its address.',
  ],
  [
    /\b(InsufficientFundsForRent|7050031)\b|insufficient lamports/,
    'sol-missing',
    'The key that pays has too little SOL for the rent of the accounts that this creates. Send some to its address.',
  ],
  [
    /\b(ProgramAccountNotFound|7050004|InvalidProgramForExecution|7050013)\b/,
    'program-missing',
    'The ledger has no such program. Is it the ledger that you mean?',
  ],
];
