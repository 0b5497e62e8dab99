import { approveProposal, type OpenProposal, proposalRows, rejectProposal, waitingOf } from '@payouts/employer';
import { Address } from '@payouts/pages/parts/Address';
import { Notice } from '@payouts/pages/parts/Notice';
import type { Address as LedgerAddress } from '@solana/kit';
import { useState } from 'preact/hooks';
import { isAbout } from '../api/live.ts';
import { useResource } from '../api/resource.ts';
import type { Acting } from '../employer/acting.ts';
import type { OpenedProposal } from '../employer/payrollDesk.ts';
import { registerSealed } from '../employer/registering.ts';
import { type RemoteDesk, useDesk } from '../employer/useDesk.ts';
import { SignedInOnly } from '../parts/SignedInOnly.tsx';
import { Loaded } from '../parts/Trouble.tsx';
import { ActionDialog, type AskedAction } from './mine/ActionDialog.tsx';
import { CarryOut } from './mine/CarryOut.tsx';
import { OnLedger } from './mine/OnLedger.tsx';
import { Rows } from './mine/PayrollPreview.tsx';
import { ProvenList } from './mine/ProvenList.tsx';
import { ActionTrouble } from './mine/Trouble.tsx';

/** The approver's view of what waits: whom it pays, what it changes, and their yes or no. */
export const Approve = ({ schedule }: { readonly schedule: string }) => (
  <>
    <h1>
      Approve <Address address={schedule} copy />
    </h1>
    <SignedInOnly who="the wallet that approves">
      {() => <OnLedger>{(acting) => <Waiting acting={acting} address={schedule as LedgerAddress} />}</OnLedger>}
    </SignedInOnly>
  </>
);

function Waiting({ acting, address }: { readonly acting: Acting; readonly address: LedgerAddress }) {
  const [ended, setEnded] = useState('');
  const waiting = useResource(ended === '' ? `waiting ${address}` : undefined, () => waitingOf(acting, address), {
    concerns: isAbout(address),
  });
  const desk = useDesk();
  if (ended !== '') return <Notice kind="good" title={ended} />;
  if (waiting.error !== undefined) return <ActionTrouble error={waiting.error} />;
  return (
    <Loaded of={waiting} what="what waits">
      {(proposal) =>
        desk === undefined ? null : <Look acting={acting} waiting={proposal} desk={desk} onEnd={setEnded} />
      }
    </Loaded>
  );
}

type Props = {
  readonly acting: Acting;
  readonly waiting: OpenProposal;
  readonly desk: RemoteDesk;
  readonly onEnd: (said: string) => void;
};

function Look({ acting, waiting, desk, onEnd }: Props) {
  const [opened, setOpened] = useState<OpenedProposal>();
  const [refusing, setRefusing] = useState<AskedAction>();
  const mayApprove = acting.employer.address === waiting.approver;
  const refusal = mayApprove ? 'Refuse it' : 'Take it back';
  const isNew = waiting.proposal.kind === 'schedule';
  return (
    <>
      <h2>{isNew ? 'A new payroll' : 'A change'}</h2>
      <Rows rows={proposalRows(waiting)} />
      {!mayApprove && (
        <Notice kind="info" title="Another wallet approves this.">
          <p class="break">
            {waiting.approver ?? 'The vault has no approver any more.'} You act as {acting.employer.address}.
          </p>
        </Notice>
      )}
      <ProvenList
        desk={desk}
        terms={waiting}
        hint="The employer gives you a file that says who is paid what. It is proven here to be the list that waits."
        onOpened={setOpened}
      />
      {opened !== undefined && mayApprove && <Agree acting={acting} waiting={waiting} desk={desk} onEnd={onEnd} />}
      <p class="actions">
        <button type="button" onClick={() => setRefusing({ name: refusal, plan: () => rejectProposal(waiting) })}>
          {refusal}
        </button>
      </p>
      <ActionDialog
        acting={acting}
        action={refusing}
        onDone={() => onEnd(`${mayApprove ? 'Refused' : 'Taken back'}. What was approved before goes on.`)}
        onClose={() => setRefusing(undefined)}
      />
    </>
  );
}

function Agree({ acting, waiting, desk, onEnd }: Props) {
  const change = useResource(`approval ${waiting.address}`, () => approveProposal(waiting), { concerns: () => false });
  if (change.error !== undefined) return <ActionTrouble error={change.error} />;
  if (change.data === undefined) return null;
  const { effects, steps } = change.data;
  const after = async (say: (doing: string) => void) => {
    say('Giving the list to the coordinator');
    await registerSealed(desk, waiting.address);
  };
  return (
    <CarryOut
      acting={acting}
      effects={effects}
      prepare={async () => ({ steps, action: { name: 'Approve', of: waiting.address } })}
      after={after}
      action="Approve"
      done="Approved."
      onDone={() => onEnd('Approved.')}
    />
  );
}
