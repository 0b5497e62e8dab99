import { LedgerUnavailable } from '@payouts/pages/deployment';
import { Notice } from '@payouts/pages/parts/Notice';
import type { ComponentChildren } from 'preact';
import { type Acting, useActing } from '../../employer/acting.ts';
import { Loaded } from '../../parts/Trouble.tsx';
import { ActsFor } from './Proposes.tsx';

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
      {(found) => (
        <>
          {found.treasury !== undefined && <ActsFor treasury={found.treasury} />}
          {children(found)}
        </>
      )}
    </Loaded>
  );
}
