import {
  COMPARE_ADVICE,
  type InvitingSession,
  unreadableText,
  type WaitingAddresses,
  WITHDRAWING_EFFECT,
  waitingFor,
  withdrawWaiting,
} from '@payouts/employer';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { useState } from 'preact/hooks';
import { useResource } from '../../../api/resource.ts';
import { Loaded } from '../../../parts/Trouble.tsx';
import { type AskedChange, ChangeDialog } from '../ChangeDialog.tsx';
import { OnLedger } from '../OnLedger.tsx';
import { DraftPanel } from './DraftPanel.tsx';
import type { Doings } from './doings.ts';
import { Invite } from './Invite.tsx';
import { Invited } from './Invited.tsx';
import { Request } from './Request.tsx';
import { Take } from './Take.tsx';

/** Answers come without an event. */
const EVERY_MS = 20_000;

/** Everything that waits for an employer, what is done with it, and the draft that addresses are taken into. */
export function Addresses({ session }: { readonly session: InvitingSession }) {
  const waiting = useResource('invitations', () => waitingFor(session), { concerns: () => false, every: EVERY_MS });
  const [taken, setTaken] = useState<string>();
  const [change, setChange] = useState<AskedChange>();
  const doings = (of: WaitingAddresses): Doings => ({
    onTake: setTaken,
    onForget: (who, name) =>
      setChange({
        name,
        effects: [WITHDRAWING_EFFECT],
        send: async () => {
          await withdrawWaiting(session, of, who);
          waiting.refresh();
          return <Notice kind="good" title="Forgotten." />;
        },
      }),
  });
  return (
    <>
      <Loaded of={waiting} what="your invitations">
        {(all) => (
          <>
            <Waiting waiting={all} doings={doings(all)} />
            <Take session={session} waiting={all} who={taken} onClose={() => setTaken(undefined)} />
          </>
        )}
      </Loaded>
      <DraftPanel onForgotten={waiting.refresh} />
      <OnLedger>{(acting) => <Invite acting={acting} session={session} onInvited={waiting.refresh} />}</OnLedger>
      <ChangeDialog change={change} onClose={() => setChange(undefined)} />
    </>
  );
}

function Waiting({ waiting, doings }: { readonly waiting: WaitingAddresses; readonly doings: Doings }) {
  const { invitations, changes, unreadable } = waiting;
  const isAnswered = changes.length > 0 || invitations.some(({ answers }) => answers.length > 0);
  return (
    <>
      {isAnswered && <p>{COMPARE_ADVICE}</p>}
      {unreadable > 0 && <Notice kind="warn" title={unreadableText(unreadable)} />}
      {changes.length > 0 && (
        <section aria-labelledby="requests">
          <h2 id="requests">Want to be paid at another address</h2>
          {changes.map((one) => (
            <Request key={one.id} request={one} {...doings} />
          ))}
        </section>
      )}
      <section aria-labelledby="invited">
        <h2 id="invited">Invited</h2>
        {invitations.length === 0 && <Empty title="Nobody is invited." />}
        {invitations.map((one) => (
          <Invited key={one.id} invitation={one} {...doings} />
        ))}
      </section>
    </>
  );
}
