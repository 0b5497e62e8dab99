import type { RecipientList } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Groups } from '../runner/processes.ts';

/** Schedules that fall due in the same second, spread evenly over tokens. */
export type ManySchedules = {
  readonly schedules: number;
  readonly recipients: number;
  readonly tokens: number;
  readonly windows: number;
  /** Unix seconds of the first window, and seconds from one to the next. */
  readonly first: bigint;
  readonly interval: number;
  /** Seconds that a window has for its payments. */
  readonly batchTimeout: number;
};

/** A schedule and its list. */
export type Promised = { readonly schedule: Address; readonly recipients: RecipientList['recipients'] };

/** Both ledgers that coordinators are measured on. */
export type BenchLedgers = {
  readonly name: string;
  /** For what must stand somewhere meanwhile. */
  readonly folder: string;
  /** A coordinator's settings on them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly processes: Groups;
  promise(many: ManySchedules): Promise<readonly Promised[]>;
  /** Sets their clocks; unix seconds. */
  setClock(seconds: number): Promise<void>;
  stop(): Promise<void>;
};
