import { type AskedWithdrawal, askedWithdrawal } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { useState } from 'preact/hooks';
import type { Acting } from '../employer/acting.ts';
import { signLast } from '../employer/sending.ts';
import { PasteField } from '../parts/PasteField.tsx';
import { SignedInOnly } from '../parts/SignedInOnly.tsx';
import { Effects } from './mine/Effects.tsx';
import { OnLedger } from './mine/OnLedger.tsx';
import { ActionTrouble } from './mine/Trouble.tsx';

/** The approver's view of a withdrawal that an employer has signed and gives them to sign. */
export const ApproveWithdrawal = () => (
  <>
    <h1>Approve a withdrawal</h1>
    <SignedInOnly who="the wallet that approves">
      {() => <OnLedger>{(acting) => <Pasted acting={acting} />}</OnLedger>}
    </SignedInOnly>
  </>
);

type State =
  | { readonly at: 'empty' | 'done' }
  | { readonly at: 'read'; readonly text: string; readonly asked: AskedWithdrawal }
  | { readonly at: 'failed'; readonly error: unknown };

function Pasted({ acting }: { readonly acting: Acting }) {
  const [text, setText] = useState('');
  const [state, setState] = useState<State>({ at: 'empty' });
  const change = (pasted: string) => {
    setText(pasted);
    setState({ at: 'empty' });
  };
  const read = (event: Event) => {
    event.preventDefault();
    askedWithdrawal(acting, text).then(
      (asked) => setState({ at: 'read', text, asked }),
      (error: unknown) => setState({ at: 'failed', error }),
    );
  };
  if (acting.treasury !== undefined) {
    return (
      <p>
        A treasury signs alone, and signs no withdrawal of somebody else’s. Stop acting for it under{' '}
        <a href={href('mine/treasury')}>Treasury</a> to approve one yourself.
      </p>
    );
  }
  if (state.at === 'done') return <Notice kind="good" title="Approved. The money is in the employer’s wallet." />;
  return (
    <>
      <p>
        Above their limits an employer takes money out of a vault only if you sign, too. They give you the transaction
        on any way you like; the ledger takes it for about a minute.
      </p>
      <form class="carry" onSubmit={read}>
        <PasteField label="The transaction" value={text} onInput={change} />
        <p class="actions">
          <button type="submit" disabled={text.trim() === ''}>
            See what it does
          </button>
        </p>
      </form>
      {state.at === 'failed' && <ActionTrouble error={state.error} />}
      {state.at === 'read' && (
        <Agree key={state.text} acting={acting} {...state} onDone={() => setState({ at: 'done' })} />
      )}
    </>
  );
}

type AgreeProps = {
  readonly acting: Acting;
  readonly text: string;
  readonly asked: AskedWithdrawal;
  readonly onDone: () => void;
};

function Agree({ acting, text, asked, onDone }: AgreeProps) {
  const [doing, setDoing] = useState('');
  const [error, setError] = useState<unknown>();
  const approve = async () => {
    setError(undefined);
    setDoing('Preparing');
    try {
      // As public as it is on the ledger: by this it is known again after a reload.
      const action = { name: 'Approve a withdrawal', of: asked.vault, more: [String(asked.amount)] };
      await signLast(acting, text, action, setDoing);
      onDone();
    } catch (reason) {
      setError(reason);
      setDoing('');
    }
  };
  return (
    <section class="carry" aria-label="What it does">
      <Effects sentences={asked.effects} />
      {error !== undefined && <ActionTrouble error={error} />}
      {acting.wallet === undefined ? (
        <p>Sign in with a wallet of this browser to sign it, or sign it elsewhere and give it back to the employer.</p>
      ) : (
        <p class="actions">
          <button type="button" class="primary" disabled={doing !== ''} onClick={approve}>
            Approve
          </button>
          <span role="status" class="faint">
            {doing !== '' && `${doing} …`}
          </span>
        </p>
      )}
    </section>
  );
}
