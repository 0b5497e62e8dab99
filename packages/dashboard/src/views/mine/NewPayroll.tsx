import { createSchedulePlan, type ListPlan, type OwnVault, ownVault } from '@payouts/employer';
import { href } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import type { Acting } from '../../employer/acting.ts';
import type { OpenedPayroll } from '../../employer/payrollDesk.ts';
import { type RemoteDesk, useDesk } from '../../employer/useDesk.ts';
import { SignedInOnly } from '../../parts/SignedInOnly.tsx';
import { Loaded } from '../../parts/Trouble.tsx';
import { OnLedger } from './OnLedger.tsx';
import { OpenPayroll } from './OpenPayroll.tsx';
import { PayDays, type ShownDays } from './PayDays.tsx';
import { PayrollPreview } from './PayrollPreview.tsx';
import { PromiseList } from './PromiseList.tsx';
import { TermsFields } from './TermsFields.tsx';
import { ActionTrouble } from './Trouble.tsx';
import { askedTerms, FIRST_TERMS, shownDays, type TermsForm } from './terms.ts';

/** Creates a recurring payroll: a file, what it would cost, when it is paid, what will happen, and the promise. */
export const NewPayroll = ({ mint }: { readonly mint: string }) => (
  <>
    <p class="crumbs">
      <a href={href('mine')}>My payrolls</a>
    </p>
    <h1>New payroll</h1>
    <SignedInOnly who="the wallet that owns your vault">
      {() => <OnLedger>{(acting) => <OfVault acting={acting} mint={mint as Address} />}</OnLedger>}
    </SignedInOnly>
  </>
);

function OfVault({ acting, mint }: { readonly acting: Acting; readonly mint: Address }) {
  const own = useResource(`vault ${mint}`, () => ownVault(acting, mint), { concerns: () => false });
  const desk = useDesk();
  return (
    <Loaded of={own} what="your vault">
      {(vault) => (desk === undefined ? null : <Steps acting={acting} own={vault} desk={desk} />)}
    </Loaded>
  );
}

type Props = { readonly acting: Acting; readonly own: OwnVault; readonly desk: RemoteDesk };

function Steps({ acting, own, desk }: Props) {
  const time = useTime();
  const [payroll, setPayroll] = useState<OpenedPayroll>();
  const [terms, setTerms] = useState<TermsForm>(FIRST_TERMS);
  const [plan, setPlan] = useState<ListPlan>();
  const [days, setDays] = useState<ShownDays>();
  const [error, setError] = useState<unknown>();
  const forget = () => {
    setPlan(undefined);
    setError(undefined);
  };
  const look = async (event: Event) => {
    event.preventDefault();
    forget();
    if (payroll === undefined) return;
    try {
      const asked = await askedTerms(terms, time.now());
      setDays(await shownDays(asked, terms));
      setPlan(await createSchedulePlan(own, payroll.summary, asked));
    } catch (reason) {
      setError(reason);
    }
  };
  const { token, vault } = own;
  return (
    <>
      <OpenPayroll
        desk={desk}
        token={token}
        vault={vault.address}
        onOpen={(opened) => {
          forget();
          setPayroll(opened);
        }}
      />
      {payroll !== undefined && (
        <>
          <PayrollPreview desk={desk} payroll={payroll} preview={plan?.preview} token={token} />
          <form onSubmit={look}>
            <TermsFields
              terms={terms}
              onChange={(changed) => {
                forget();
                setTerms(changed);
              }}
            />
            <p class="actions">
              <button type="submit" class={plan === undefined ? 'primary' : ''}>
                See what will happen
              </button>
            </p>
          </form>
        </>
      )}
      {error !== undefined && <ActionTrouble error={error} />}
      {plan !== undefined && (
        <section aria-labelledby="promise">
          <h2 id="promise">What will happen</h2>
          {days !== undefined && <PayDays {...days} />}
          <PromiseList
            key={plan.address}
            acting={acting}
            desk={desk}
            plan={plan}
            token={token}
            action="Create the payroll"
            done="Created and registered."
          />
        </section>
      )}
    </>
  );
}
