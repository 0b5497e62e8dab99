import type { LocalnetErrorCode } from '../errors.ts';
import type { ProgramToLoad } from '../programs.ts';
import type { AccountState } from './account.ts';

/** What the base ledger's process is told first. */
export interface OpenMessage {
  readonly kind: 'open';
  readonly directory: string;
  /** RPC port; 0: any free pair. */
  readonly port: number;
  /** Forget the state of earlier runs. */
  readonly reset: boolean;
  readonly programs: readonly ProgramToLoad[];
  readonly accounts: readonly AccountState[];
}

/** What it may be told later. */
export interface StopMessage {
  readonly kind: 'stop';
}

/** What it tells. */
export type ProcessReport =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: LocalnetErrorCode; readonly message: string };
