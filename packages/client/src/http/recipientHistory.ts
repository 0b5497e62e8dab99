import type { Address, Signature } from '@solana/kit';
import {
  type TransferReceipt,
  type TransferReceiptJson,
  type TransferSide,
  transferReceiptFromJson,
} from '../receipts/transferReceipt.ts';

/** As JSON has it: numbers of 64 bits are text. */
export type Plain<T> = {
  [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint | null ? string | null : T[K];
};

/** What a recipient was paid, in base units; `at` in unix milliseconds. */
export type ReceivedPayment = {
  readonly kind: 'payment';
  readonly at: number;
  readonly schedulePda: Address;
  readonly mint: Address;
  readonly window: bigint;
  readonly amount: bigint;
  /** False: the list says so; whether the window paid it, the coordinator does not know. */
  readonly known: boolean;
  /** Of the window's settlement on the base ledger. */
  readonly signature: Signature | null;
};

/** What a recipient has taken out, in base units; times in unix milliseconds. */
export type PastWithdrawal = {
  readonly kind: 'withdrawal';
  readonly at: number;
  readonly balance: Address;
  readonly mint: Address;
  readonly number: bigint;
  readonly amount: bigint;
  readonly wallet: Address;
  readonly state: 'requested' | 'issued' | 'paid';
  readonly issuedAt: number | null;
  readonly paidAt: number | null;
};

/** A private transfer that a recipient has made or was paid by, in base units; `at` in unix milliseconds. */
export type PastTransfer = {
  readonly kind: 'transfer';
  readonly at: number;
  readonly side: TransferSide;
  readonly mint: Address;
  readonly amount: bigint;
  /** Of whoever was paid. */
  readonly paymentCode: string;
  /** `unconfirmed`: the coordinator was stopped while it made it, and the layer does not say; the balance shows whether it has moved. */
  readonly state: 'made' | 'unconfirmed';
  /** Null unless it is made. */
  readonly receipt: TransferReceipt | null;
};

/** What a recipient was paid, took out, and paid inside. */
export type HistoryItem = ReceivedPayment | PastWithdrawal | PastTransfer;

/** A page of a recipient's history, newest first. */
export type RecipientHistory = {
  readonly recipient: Address;
  readonly items: readonly HistoryItem[];
  /** Asks for what is older. */
  readonly nextCursor: string | null;
};

type PlainItem =
  | Plain<ReceivedPayment>
  | Plain<PastWithdrawal>
  | (Omit<Plain<PastTransfer>, 'receipt'> & { readonly receipt: TransferReceiptJson | null });

/** A page of a history as the coordinator answers it. */
export type PlainHistory = Omit<RecipientHistory, 'items'> & { readonly items: readonly PlainItem[] };

/** A page of a history. Throws `INVALID_RECEIPT`. */
export const historyFrom = ({ items, ...page }: PlainHistory): RecipientHistory => ({
  ...page,
  items: items.map(itemFrom),
});

function itemFrom(item: PlainItem): HistoryItem {
  const amount = BigInt(item.amount);
  if (item.kind === 'payment') return { ...item, amount, window: BigInt(item.window) };
  if (item.kind === 'withdrawal') return { ...item, amount, number: BigInt(item.number) };
  return { ...item, amount, receipt: item.receipt && transferReceiptFromJson(item.receipt) };
}
