import { countText, amountText as numberText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import { saveFile } from '@payouts/pages/saveFile';
import {
  amountsOf,
  findingsOf,
  type Line,
  type PayrollStatement,
  type Statement,
  statementCsv,
  statementPdf,
  sumText,
} from '@payouts/statements';
import { useId, useState } from 'preact/hooks';
import { TroubleNotice } from '../../parts/Trouble.tsx';
import type { Made } from './make.ts';

/** A statement: the grand totals, what they rest on, every figure, and the files to take along. */
export function StatementView({ made }: { readonly made: Made }) {
  const { statement } = made;
  const id = useId();
  const { sums, people, payrolls, unverified } = statement;
  return (
    <section aria-labelledby={id} class="statement">
      <h2 id={id}>Statement</h2>
      <div class="headline" role="status">
        <p>Paid in all, over {countText(payrolls.length, 'payroll')}</p>
        {sums.map((sum) => (
          <p class="sum" key={`${sum.mint} ${sum.decimals}`}>
            {sumText(sum)}
          </p>
        ))}
        {sums.length === 0 && <p class="sum">No figure was verified.</p>}
        {unverified > 0 && <p class="wrong">{countText(unverified, 'figure')} not verified, and not in it</p>}
      </div>
      <Files made={made} />
      <Findings statement={statement} />
      {people.length > 0 && (
        <>
          <h3>Each recipient</h3>
          <Table
            rows={people}
            keyOf={({ recipient }) => recipient}
            columns={[
              { name: 'Recipient', show: ({ recipient }) => <Address address={recipient} copy /> },
              { name: 'Paid', class: 'number', show: ({ sums: own }) => own.map(sumText).join(', ') || '–' },
            ]}
          />
        </>
      )}
      {payrolls.map((payroll) => (
        <Payroll key={payroll.schedule} payroll={payroll} kind={statement.kind} />
      ))}
    </section>
  );
}

function Files({ made: { statement, evidence } }: { readonly made: Made }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const name = `audit-${statement.kind}-${new Date(statement.madeAt).toISOString().slice(0, 10)}`;
  const pdf = () => {
    setBusy(true);
    setError(undefined);
    statementPdf(statement, evidence)
      .then((bytes) => saveFile(`${name}.pdf`, Uint8Array.from(bytes), 'application/pdf'), setError)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <p class="actions">
        <button type="button" onClick={() => saveFile(`${name}.csv`, statementCsv(statement), 'text/csv')}>
          Download CSV
        </button>
        <button type="button" disabled={isBusy} onClick={pdf}>
          {isBusy ? 'Drawing …' : 'Download PDF'}
        </button>
        <span class="faint">
          The PDF holds the proofs: this page and “payout audit verify” verify it again, years later.
        </span>
      </p>
      {error !== undefined && <TroubleNotice error={error} what="The PDF was not made" />}
    </>
  );
}

function Findings({ statement }: { readonly statement: Statement }) {
  const { verified, open } = findingsOf(statement);
  return (
    <>
      <Notice kind="good" title="Verified">
        <ul>
          {verified.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </Notice>
      {open.length > 0 && (
        <Notice kind="warn" title="Not verified">
          <ul>
            {open.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

/** Lines that are shown: all of them are in the files. */
const SHOWN = 200;

function Payroll({ payroll, kind }: { readonly payroll: PayrollStatement; readonly kind: Statement['kind'] }) {
  const { schedule, lines } = payroll;
  return (
    <>
      <h3>
        Payroll <Address address={schedule} to={href(`schedules/${schedule}`)} />
      </h3>
      {lines.length === 0 ? (
        <Empty title="No settled window was shown." />
      ) : (
        <Table
          rows={lines.slice(0, SHOWN)}
          keyOf={({ window, entry }) => `${window} ${entry?.index ?? ''}`}
          columns={kind === 'totals' ? TOTALS : RECIPIENTS}
          {...(lines.length > SHOWN && { caption: `The first ${SHOWN} of ${lines.length}; all are in the files` })}
        />
      )}
    </>
  );
}

const WINDOW: Column<Line> = { name: 'Window', class: 'number', show: ({ window }) => String(window) };
const SETTLED: Column<Line> = {
  name: 'Settled',
  class: 'wide',
  show: ({ settled }) => (settled === null ? '–' : <Time at={settled.settledAt} as="local" />),
};
const VERIFIED: Column<Line> = {
  name: 'Verified',
  show: ({ faults }) => (faults.length === 0 ? '✓ verified' : <span class="wrong">✖ {faults.join(' ')}</span>),
};

const amount = (units: bigint, { settled }: Line) => (settled === null ? '–' : numberText(units, settled.decimals));

const TOTALS: readonly Column<Line>[] = [
  WINDOW,
  SETTLED,
  { name: 'Promised', class: 'number wide', show: (line) => amount(amountsOf(line).promised, line) },
  { name: 'Paid', class: 'number', show: (line) => amount(amountsOf(line).paid, line) },
  {
    name: 'Entries paid',
    class: 'number wide',
    show: ({ settled }) => (settled === null ? '–' : `${settled.paidCount} of ${settled.recipients}`),
  },
  VERIFIED,
];

const STATES = { paid: 'paid', held: 'held back', unpaid: 'not paid' };

const RECIPIENTS: readonly Column<Line>[] = [
  WINDOW,
  SETTLED,
  {
    name: 'Recipient',
    show: ({ entry }) => (entry === null ? '–' : <Address address={entry.recipient} copy />),
  },
  { name: 'Paid', class: 'number', show: (line) => amount(amountsOf(line).paid, line) },
  {
    name: 'Came to',
    class: 'wide',
    show: ({ entry }) => (entry === null || entry.state === null ? '–' : STATES[entry.state]),
  },
  VERIFIED,
];
