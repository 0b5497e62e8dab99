import { type ListPlan, NOBODY_HELD, type OwnSchedule, ownSchedule, updateListPlan } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import type { Acting } from '../../employer/acting.ts';
import type { OpenedComparison, OpenedPayroll } from '../../employer/payrollDesk.ts';
import { type RemoteDesk, useDesk } from '../../employer/useDesk.ts';
import { SignedInOnly } from '../../parts/SignedInOnly.tsx';
import { Loaded } from '../../parts/Trouble.tsx';
import { OnLedger } from './OnLedger.tsx';
import { OpenPayroll } from './OpenPayroll.tsx';
import { Changes, PayrollPreview } from './PayrollPreview.tsx';
import { PromiseList } from './PromiseList.tsx';
import { usePresentList } from './presentList.ts';
import { ActionTrouble } from './Trouble.tsx';

/** Promises another list for a payroll, from the next pay run on: what it changes, before → after, and the promise. */
export const ChangeList = ({ schedule }: { readonly schedule: string }) => (
  <>
    <p class="crumbs">
      <a href={href('mine')}>My payrolls</a> / <a href={href(`mine/${schedule}`)}>payroll</a>
    </p>
    <h1>Change the list</h1>
    <SignedInOnly who="the wallet that owns the payroll">
      {() => <OnLedger>{(acting) => <OfSchedule acting={acting} address={schedule as Address} />}</OnLedger>}
    </SignedInOnly>
  </>
);

function OfSchedule({ acting, address }: { readonly acting: Acting; readonly address: Address }) {
  const own = useResource(`schedule on the ledger ${address}`, () => ownSchedule(acting, address), {
    concerns: () => false,
  });
  const desk = useDesk();
  return (
    <Loaded of={own} what="the payroll">
      {(schedule) => (desk === undefined ? null : <Steps acting={acting} own={schedule} desk={desk} />)}
    </Loaded>
  );
}

type Props = { readonly acting: Acting; readonly own: OwnSchedule; readonly desk: RemoteDesk };
type Opened = {
  readonly payroll: OpenedPayroll;
  readonly comparison?: OpenedComparison | undefined;
  readonly plan?: ListPlan;
};

function Steps({ acting, own, desk }: Props) {
  const [opened, setOpened] = useState<Opened>();
  const [error, setError] = useState<unknown>();
  const { token, vault, address, schedule } = own;
  const compare = usePresentList(desk, address);
  const look = async (payroll: OpenedPayroll | undefined) => {
    setError(undefined);
    setOpened(payroll && { payroll });
    if (payroll === undefined) return;
    try {
      const comparison = await compare(schedule);
      setOpened({ payroll, comparison });
      setOpened({
        payroll,
        comparison,
        plan: await updateListPlan(own, payroll.summary, undefined, comparison?.held ?? NOBODY_HELD),
      });
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <>
      <OpenPayroll desk={desk} token={token} vault={vault.address} onOpen={look} />
      {error !== undefined && <ActionTrouble error={error} />}
      {opened !== undefined && <Look desk={desk} opened={opened} own={own} />}
      {opened?.plan !== undefined && (
        <section aria-labelledby="promise">
          <h2 id="promise">What will happen</h2>
          <PromiseList
            acting={acting}
            desk={desk}
            plan={opened.plan}
            token={token}
            action={opened.plan.approver === undefined ? 'Replace the list' : 'Propose the list'}
            done={opened.plan.approver === undefined ? 'Replaced and registered.' : 'Proposed and registered.'}
          />
        </section>
      )}
    </>
  );
}

const Look = ({ desk, opened, own }: Omit<Props, 'acting'> & { readonly opened: Opened }) => (
  <>
    {opened.comparison !== undefined && <Changes desk={desk} comparison={opened.comparison} />}
    {opened.comparison === undefined && opened.plan !== undefined && (
      <Notice kind="warn" title="The coordinator does not show the current list, so nothing can be compared." />
    )}
    <PayrollPreview desk={desk} payroll={opened.payroll} preview={opened.plan?.preview} token={own.token} />
  </>
);
