import { LedgerUnavailable } from '@payouts/pages/deployment';
import { Notice } from '@payouts/pages/parts/Notice';
import { signedIn } from '@payouts/pages/session/session';
import type { ComponentChildren } from 'preact';
import { type Acting, useActing } from '../../employer/acting.ts';
import { askToSignIn } from '../../parts/SignIn.tsx';
import { Loaded } from '../../parts/Trouble.tsx';

type GateProps = {
  /** With which wallet. */
  readonly who: string;
  readonly children: (wallet: string) => ComponentChildren;
};

/** What only somebody sees who is signed in. */
export const SignedInOnly = ({ who, children }: GateProps): ComponentChildren =>
  signedIn.value === undefined ? (
    <Notice kind="info" title={`Sign in with ${who}.`}>
      <p>What is private comes encrypted for this tab alone, and is gone when you reload or sign out.</p>
      <p>
        <button type="button" class="primary" onClick={askToSignIn}>
          Sign in
        </button>
      </p>
    </Notice>
  ) : (
    children(signedIn.value.wallet)
  );

/** What somebody who is signed in does on the ledger; where the page can't reach it, why. */
export function OnLedger({ children }: { readonly children: (acting: Acting) => ComponentChildren }) {
  const acting = useActing();
  if (acting.error instanceof LedgerUnavailable) {
    return (
      <Notice kind="info" title="This page can only show: nothing can be done here.">
        {acting.error.message}
      </Notice>
    );
  }
  return (
    <Loaded of={acting} what="the ledger">
      {children}
    </Loaded>
  );
}
