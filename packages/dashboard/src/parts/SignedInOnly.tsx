import { Notice } from '@payouts/pages/parts/Notice';
import { signedIn } from '@payouts/pages/session/session';
import type { ComponentChildren } from 'preact';
import { askToSignIn } from './SignIn.tsx';

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
