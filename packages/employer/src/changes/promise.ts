import type { Address } from '@solana/kit';
import type { PlannedChange } from './change.ts';

/** A change that may wait for the vault's approver. */
export type PromiseChange = PlannedChange & {
  /** Who must agree before it holds; undefined: nobody. */
  readonly approver: Address | undefined;
};

/** What it means that something is above the limit. */
export const waitsText = (approver: Address): string =>
  `That is above your limit: it waits on the ledger until ${approver} approves it.`;

/** So many windows, or recipients, in words. */
export const windowsText = (count: number): string => (count === 1 ? '1 window' : `${count} windows`);
export const recipientsText = (count: number): string => (count === 1 ? '1 recipient' : `${count} recipients`);

/** A sentence only where there is an approver. */
export const waitsSentences = (approver: Address | undefined): string[] =>
  approver === undefined ? [] : [waitsText(approver)];
