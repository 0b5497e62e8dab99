import {
  findWaiting,
  type InvitingSession,
  plainName,
  type Taking,
  takingOf,
  takingSentences,
  type WaitingAddresses,
} from '@payouts/employer';
import { Dialog } from '@payouts/pages/parts/Dialog';
import { Notice } from '@payouts/pages/parts/Notice';
import { useState } from 'preact/hooks';
import { nameOf } from '../../../book/book.ts';
import { useAttempt } from '../../../book/useAttempt.ts';
import { draft } from '../../../employer/inviting.ts';
import type { RefusedFile, TakenAddress } from '../../../employer/payrollDesk.ts';
import { useDesk } from '../../../employer/useDesk.ts';
import { Effects } from '../Effects.tsx';
import { Field } from '../Fields.tsx';
import { ActionTrouble } from '../Trouble.tsx';
import { draftOrEmpty } from './DraftPanel.tsx';

type Props = {
  readonly session: InvitingSession;
  readonly waiting: WaitingAddresses;
  /** A name that is invited, or an address that is paid today. */
  readonly who: string | undefined;
  readonly onClose: () => void;
};

/** Takes an address into the draft: which one, by its code, and what that changes there. */
export const Take = ({ who, onClose, ...rest }: Props) => (
  <Dialog title="Take the address" isOpen={who !== undefined} onClose={onClose}>
    {who !== undefined && <Taken who={who} onClose={onClose} {...rest} />}
  </Dialog>
);

type Seen = { readonly taking: Taking; readonly written: TakenAddress; readonly sentences: readonly string[] };

function Taken({ session, waiting, who, onClose }: Props & { readonly who: string }) {
  const desk = useDesk();
  const { isBusy, error, attempt } = useAttempt();
  const [code, setCode] = useState('');
  const [seen, setSeen] = useState<Seen>();
  const [refused, setRefused] = useState<RefusedFile>();
  const into = draftOrEmpty(draft.value);
  const several = (findWaiting(waiting, who).invitation?.answers.length ?? 0) > 1;
  const typed = code.trim() || undefined;
  const look = (event: Event) => {
    event.preventDefault();
    setRefused(undefined);
    attempt(async () => {
      const taking = takingOf(session, waiting, who, typed);
      if (desk === undefined) return;
      const written = await desk.takeAddress(into.content, taking.whose, taking.to);
      if (written.kind === 'refused') return setRefused(written);
      const called = nameOf(who) ?? who;
      setSeen({ taking, written, sentences: takingSentences(called, written, { ...taking, typed, into: into.name }) });
    });
  };
  const take = ({ taking, written }: Seen) => {
    const taken = new Map([...into.taken, [who, taking.forget] as const]);
    draft.value = { name: into.name, content: written.content, taken };
    onClose();
  };
  if (seen !== undefined) {
    return (
      <div class="carry">
        <Effects sentences={seen.sentences} />
        <p class="actions">
          <button type="button" class="primary" onClick={() => take(seen)}>
            Take it into the draft
          </button>
          <button type="button" class="quiet" onClick={() => setSeen(undefined)}>
            Back
          </button>
        </p>
      </div>
    );
  }
  return (
    <form onSubmit={look}>
      {several && (
        <p>Several addresses were given. Only {plainName(who)} can say which code is theirs: take none without it.</p>
      )}
      <Field name={several ? 'The code that they have told you' : 'The code that they have told you, if they have'}>
        <input
          type="text"
          required={several}
          spellcheck={false}
          autocomplete="off"
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </Field>
      {refused !== undefined && <Notice kind="bad" title={refused.sentences.join(' ')} />}
      {error !== undefined && <ActionTrouble error={error} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={isBusy || desk === undefined}>
          See what it changes
        </button>
      </p>
    </form>
  );
}
