import type { Instruction } from '@solana/kit';

/** Transactions in the steps in which they go: those of a step side by side, a step when the last one is on the ledger. */
export type Steps = readonly (readonly (readonly Instruction[])[])[];

/** A change on the base ledger, before anybody is asked for it. */
export type PlannedChange = {
  /** What will happen, sentence by sentence. */
  readonly effects: readonly string[];
  /** What will happen, for programs. */
  readonly plan: object;
  readonly steps: Steps;
  /** What is said once it is done. */
  readonly done: string;
  /** What is told programs once it is done. */
  readonly result: object;
};

/** The steps of what fits one transaction. */
export const atOnce = (...instructions: readonly Instruction[]): Steps => [[instructions]];
