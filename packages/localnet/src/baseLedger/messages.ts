import type { LocalnetErrorCode } from '../errors.ts';
import type { BaseLedgerOptions } from './start.ts';

/** What the base ledger's process is told first. */
export type OpenMessage = { readonly kind: 'open' } & Required<Omit<BaseLedgerOptions, 'log' | 'time'>>;

/** What it may be told later. */
export interface StopMessage {
  readonly kind: 'stop';
}

/** What it tells. */
export type ProcessReport =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: LocalnetErrorCode; readonly message: string };
