import type { AccountRecord } from './account.ts';
import type { InnerInstruction } from './bank.ts';

/** A token account's balance before or after a transaction, in Solana's JSON shape. */
export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: TokenAmount;
}

/** An amount of tokens in Solana's JSON shape; a type, not an interface, so that it is assignable to Json. */
export type TokenAmount = {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number;
  readonly uiAmountString: string;
};

/** Where a record stands in the ledger's life. */
export interface Moment {
  readonly slot: number;
  readonly blockHeight: number;
  /** unix milliseconds of the machine's clock */
  readonly at: number;
}

/** A transaction that landed, and every account it wrote as it stood afterwards. Plain JSON: u64 values are text. */
export interface TransactionRecord extends Moment {
  readonly kind: 'transaction';
  /** unix seconds of the ledger's clock */
  readonly blockTime: number;
  /** base58 */
  readonly signature: string;
  /** base64 of the whole transaction */
  readonly transaction: string;
  /** Solana's JSON shape; null: it succeeded */
  readonly err: unknown;
  /** lamports */
  readonly fee: string;
  /** Every account the transaction names, those of lookup tables last. */
  readonly accountKeys: readonly string[];
  readonly loadedAddresses: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  /** lamports, in the order of accountKeys */
  readonly preBalances: readonly string[];
  readonly postBalances: readonly string[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly logMessages: readonly string[];
  readonly innerInstructions: readonly { readonly index: number; readonly instructions: readonly InnerInstruction[] }[];
  readonly returnData: { readonly programId: string; readonly data: string } | null;
  readonly computeUnitsConsumed: number;
  /** Accounts written, as they stood afterwards. */
  readonly accounts: readonly AccountRecord[];
}

/** An account that an admin call put in place. */
export interface AccountSetRecord extends Moment {
  readonly kind: 'account';
  readonly account: AccountRecord;
}

/** The clock was moved, or blocks were made, by an admin call. */
export interface ClockRecord extends Moment {
  readonly kind: 'clock';
  /** ledger time minus machine time, seconds */
  readonly clockOffset: number;
}

export type JournalRecord = TransactionRecord | AccountSetRecord | ClockRecord;
