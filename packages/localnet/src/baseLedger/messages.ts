import type { LocalnetErrorCode } from '../errors.ts';
import type { ProgramToLoad } from '../programs.ts';
import type { AccountState } from './account.ts';
import type { ClusterHabits } from './habits.ts';

/** What the base ledger's process is told first. */
export interface OpenMessage {
  readonly kind: 'open';
  /** Where the ledger's state is kept. */
  readonly directory: string;
  /** RPC port, websocket on the next; 0: any free pair. */
  readonly port: number;
  /** Forget the state of earlier runs. */
  readonly reset: boolean;
  readonly programs: readonly ProgramToLoad[];
  /** Accounts that stand there before any transaction. */
  readonly accounts: readonly AccountState[];
  /** Those of a cluster that it has from the start; what is left out is as in `NO_HABITS`. */
  readonly habits: Partial<ClusterHabits>;
}

/** What it may be told later. */
export interface StopMessage {
  readonly kind: 'stop';
}

/** What it tells. */
export type ProcessReport =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: LocalnetErrorCode; readonly message: string };
