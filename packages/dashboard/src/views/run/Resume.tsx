import { Notice } from '@payouts/pages/parts/Notice';
import { signedIn } from '@payouts/pages/session/session';
import { useState } from 'preact/hooks';
import { act } from '../../api/request.ts';
import type { RunDetail } from '../../api/types.ts';
import { NEEDS_SOMEBODY, RESUMABLE } from '../../format/words.ts';
import { askToSignIn } from '../../parts/SignIn.tsx';
import { TroubleNotice } from '../../parts/Trouble.tsx';

type Props = { readonly run: RunDetail; readonly schedule: string; readonly onResumed: () => void };

/** An operator has the run tried again; nobody is paid twice by that. */
export function Resume({ run, schedule, onResumed }: Props) {
  const [asked, setAsked] = useState<'no' | 'sending' | 'sent'>('no');
  const [error, setError] = useState<unknown>();
  const isResumable = RESUMABLE.includes(run.state);
  const resume = () => {
    setAsked('sending');
    setError(undefined);
    act(`/api/runs/${schedule}/${run.window}/resume`).then(
      () => {
        setAsked('sent');
        onResumed();
      },
      (reason: unknown) => {
        setAsked('no');
        setError(reason);
      },
    );
  };
  if (!isResumable)
    return asked === 'sent' ? <Notice kind="good" title="Resumed. It goes on where the ledgers stand." /> : null;
  if (signedIn.value?.isOperator !== true) {
    return NEEDS_SOMEBODY.includes(run.state) && signedIn.value === undefined ? (
      <p>
        <button type="button" class="quiet" onClick={askToSignIn}>
          Sign in as an operator to resume it
        </button>
      </p>
    ) : null;
  }
  return (
    <>
      {error !== undefined && <TroubleNotice error={error} what="Not resumed" />}
      {asked === 'sent' && <Notice kind="good" title="Resumed. It goes on where the ledgers stand." />}
      <p class="actions">
        <button type="button" class="primary" disabled={asked === 'sending'} onClick={resume}>
          {asked === 'sending' ? 'Resuming …' : 'Resume this run'}
        </button>
        <span class="faint">It asks the ledgers first and does only what is missing: nobody is paid twice.</span>
      </p>
    </>
  );
}
