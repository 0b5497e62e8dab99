import type { Treasury } from '@payouts/employer';
import { Address } from '@payouts/pages/parts/Address';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import type { ComponentChildren } from 'preact';

/** What becomes of an action while somebody acts for a treasury, before they agree to it. */
export const Proposes = ({ treasury: { employer, state } }: { readonly treasury: Treasury }) => (
  <Notice kind="info" title="Proposes to the treasury">
    Your wallet signs a proposal, and moves nothing. The treasury <Address address={employer} /> does the following once{' '}
    {state.threshold} of its members have approved it and one has executed it. “You” and “your wallet” are the treasury
    there.
  </Notice>
);

/** What is said once it was proposed. */
export const Proposed = ({ children }: { readonly children?: ComponentChildren }) => (
  <>
    <Notice kind="good" title="Proposed to the treasury. Nothing has changed yet.">
      <a href={href('mine/treasury')}>See what waits for its members</a>
    </Notice>
    {children}
  </>
);

/** For whom somebody acts, above everything that they do. */
export const ActsFor = ({ treasury }: { readonly treasury: Treasury }) => (
  <p>
    You act for the treasury <Address address={treasury.employer} />: what you do here is proposed to its members.{' '}
    <a href={href('mine/treasury')}>Treasury</a>
  </p>
);
