import { Empty } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import { type AuditGrant, heldGrants } from '@payouts/statements';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useResource } from '../api/resource.ts';
import { SignedInOnly } from '../parts/SignedInOnly.tsx';
import { Loaded, TroubleNotice } from '../parts/Trouble.tsx';
import { patientAsk } from './audit/ask.ts';
import { HeldGrants } from './audit/HeldGrants.tsx';
import { type Made, makeStatement, type Wanted } from './audit/make.ts';
import { StatementView } from './audit/StatementView.tsx';
import { VerifyAgain } from './audit/VerifyAgain.tsx';
import { WishForm } from './audit/WishForm.tsx';

/** What an auditor was granted, verified in this tab, summed, and taken along as CSV and PDF. */
export function Audit() {
  return (
    <>
      <h1>Audits</h1>
      <p class="lead">
        Employers grant auditors the totals of their payrolls, or what named recipients were paid. Every figure is
        verified in this tab, by the proofs that come with it.
      </p>
      <SignedInOnly who="the wallet that the grants name">
        {(wallet) => <Granted key={wallet} wallet={wallet} />}
      </SignedInOnly>
      <VerifyAgain />
    </>
  );
}

function Granted({ wallet }: { readonly wallet: string }) {
  const time = useTime();
  // A grant that is given while the page is open is shown when the page is opened again: no event tells of it.
  const grants = useResource(`grants of ${wallet}`, (abort) => heldGrants(patientAsk(time, abort)), {
    concerns: () => false,
  });
  return (
    <Loaded of={grants} what="what you were granted">
      {(held) =>
        held.length === 0 ? (
          <Empty title="Nobody has granted this wallet anything that is active now.">
            <p>
              Signed in as <code class="break">{wallet}</code>. Give this address to the employer, who grants on the
              page of their payroll, or with <code>payout audit grant</code>.
            </p>
          </Empty>
        ) : (
          <>
            <HeldGrants grants={held} />
            <Statements grants={held} />
          </>
        )
      }
    </Loaded>
  );
}

function Statements({ grants }: { readonly grants: readonly AuditGrant[] }) {
  const time = useTime();
  const [made, setMade] = useState<Made>();
  const [step, setStep] = useState<string>();
  const [error, setError] = useState<unknown>();
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const make = (wanted: Wanted) => {
    setMade(undefined);
    setError(undefined);
    setStep('Reading …');
    makeStatement(wanted, time, abort.current.signal, setStep)
      .then(setMade, setError)
      .finally(() => setStep(undefined));
  };
  return (
    <>
      <WishForm grants={grants} isBusy={step !== undefined} onWish={make} />
      {step !== undefined && (
        <p class="loading" role="status">
          {step}
        </p>
      )}
      {error !== undefined && <TroubleNotice error={error} what="The statement was not made" />}
      {made?.statement.payrolls.length === 0 && <Empty title="This wallet holds no such grant any more." />}
      {made !== undefined && made.statement.payrolls.length > 0 && <StatementView made={made} />}
    </>
  );
}
