import {
  type Address,
  type Base64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  isSolanaError,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
} from '@solana/kit';
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

/** A refused transaction: its bytes, and what its accounts held before it, lamports, where the ledger tells. */
export type RefusedTransaction = {
  readonly wire: Base64EncodedWireTransaction;
  readonly lamports?: readonly bigint[] | undefined;
};

/** The program's own error in a transaction's logs, else what the ledger said. */
export function refusal(logs: readonly string[], said: unknown, refused?: RefusedTransaction): TransactionFailed {
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
  const short = shortAccount(said);
  // The first one pays; about another one its owner can do nothing with SOL of their own.
  if (refused !== undefined && short !== undefined && short > 0) {
    return new TransactionFailed('rent-missing', rentSentence(refused, short), logs);
  }
  const [, code, sentence] = REFUSALS.find(([sign]) => [text, ...logs].some((line) => sign.test(line))) ?? [];
  if (code !== undefined && sentence !== undefined) return new TransactionFailed(code, sentence, logs);
  return new TransactionFailed('transaction-failed', `The ledger refused the transaction: ${text}`, logs);
}

/** The account that would keep too few lamports for its rent, by its place in the transaction; undefined: it is another error. */
function shortAccount(said: unknown): number | undefined {
  if (isSolanaError(said, SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT))
    return said.context.accountIndex;
  const { InsufficientFundsForRent: rent } = Object(said) as {
    readonly InsufficientFundsForRent?: { readonly account_index: bigint | number };
  };
  return rent === undefined ? undefined : Number(rent.account_index);
}

function rentSentence({ wire, lamports }: RefusedTransaction, place: number): string {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(wire));
  const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const address: Address | undefined = staticAccounts[place];
  const held = lamports?.[place];
  const holding = held === undefined ? '' : `, which holds ${held} lamports,`;
  return `The account ${address ?? `at place ${place} of the transaction`}${holding} would keep too few for its rent. Nothing has been changed.`;
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
