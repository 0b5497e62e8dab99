import type { Address } from '@solana/kit';

/** The transaction that settled a window on the base ledger. */
export type Settlement = {
  /** Its fee payer's signature, in base 58: by it the ledger finds the transaction. */
  readonly signature: string;
  /** In which it landed; null: the node that was asked did not have it any more. */
  readonly slot: bigint | null;
  /** All of its bytes, signatures first. */
  readonly transaction: Uint8Array;
};

/** What the base ledger settled for one window. It names no recipient; amounts in base units. */
export type SettledWindow = {
  /** The ledger program. */
  readonly program: Address;
  readonly vault: Address;
  readonly schedule: Address;
  readonly mint: Address;
  readonly decimals: number;
  /** What the token calls itself; null: nothing, or not known. */
  readonly symbol: string | null;
  readonly window: bigint;
  /** Root of the list that the window paid, and how many entries it has. */
  readonly root: Uint8Array;
  readonly recipients: number;
  /** Sum of the list. */
  readonly promised: bigint;
  readonly paidCount: number;
  readonly paid: bigint;
  /** Indexes that the employer held back, ascending; public on the base ledger. */
  readonly held: readonly number[];
  /** Of who was paid or held back; the settlement left it on the base ledger. */
  readonly bitmapHash: Uint8Array;
  readonly settlement: Settlement;
  /** When the base ledger settled it, by its own clock, in unix milliseconds; what it is dated by in files and books, too. */
  readonly settledAt: number;
};

/** A settled window with the signature of whoever says so: the execution authority. */
export type SignedWindow = SettledWindow & { readonly issuer: Address; readonly signature: string };
