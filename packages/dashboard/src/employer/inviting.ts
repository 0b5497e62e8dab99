import type { InvitingSession } from '@payouts/employer';
import { signedIn } from '@payouts/pages/session/session';
import { effect, signal } from '@preact/signals';

/** A payroll's file with addresses that were taken into it. Nothing counts of it: whoever promises it sees what it changes. */
export type Draft = {
  readonly name: string;
  readonly content: Blob;
  /** What is forgotten once the file is saved: an invitation or request for each, by its name or the address that is paid today. */
  readonly taken: ReadonlyMap<string, () => Promise<unknown>>;
};

/** What opens the invitations of whoever is signed in, once their wallet has signed it. */
export const inviting = signal<InvitingSession | undefined>(undefined);
/** The payroll that addresses are taken into. */
export const draft = signal<Draft | undefined>(undefined);

let holder: string | undefined;

// Whoever signs in next finds nothing of it.
effect(() => {
  const wallet = signedIn.value?.wallet;
  if (wallet === holder) return;
  holder = wallet;
  inviting.value = undefined;
  draft.value = undefined;
});
