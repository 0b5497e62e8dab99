import { payslipFaults, type TransferReceipt, transferFaults } from '@payouts/client';
import { tokenText } from '@payouts/pages/format/amount';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import type { PayslipFile } from '@payouts/statements';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';

type Checked = (PayslipFile | { readonly receipt: TransferReceipt }) & { readonly faults: readonly string[] };

/** What reads files is loaded when the first is dropped. */
async function check(file: File): Promise<Checked> {
  const { readReceipt } = await import('@payouts/statements');
  const read = await readReceipt(new Uint8Array(await file.arrayBuffer()));
  if ('receipt' in read) return { ...read, faults: await transferFaults(read.receipt) };
  const faults = await payslipFaults(read.payslip);
  const isRedrawn = read.page === 'different';
  return { ...read, faults: isRedrawn ? [...faults, 'The page says something else than the payslip in it.'] : faults };
}

/** Verifies a payslip, or the receipt of a private transfer, in this tab: nobody is asked, and the file goes nowhere. */
export function CheckPayslip() {
  const { error, result, run } = useAction<Checked>();
  return (
    <>
      <h1>Check a payslip</h1>
      <p class="lead">
        Drop a payslip or a receipt in. It is verified in this tab, without a network; the file goes nowhere.
      </p>
      <FileDrop
        label="Open a payslip or receipt (PDF or JSON)"
        accept=".json,.pdf,application/json,application/pdf"
        onFile={(file) => run(() => check(file))}
      />
      <Trouble error={error} />
      {result !== undefined && ('receipt' in result ? <Receipt {...result} /> : <Result {...result} />)}
    </>
  );
}

type Faults = Pick<Checked, 'faults'>;

/** That it is sound, or all that is wrong with it. */
const Verdict = ({ what, faults, why }: Faults & { readonly what: string; readonly why: string }) =>
  faults.length === 0 ? (
    <Notice kind="good" title={`This ${what} is sound.`}>
      {why}
    </Notice>
  ) : (
    <Notice kind="bad" title={`This ${what} does not hold.`}>
      <ul>
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </Notice>
  );

function Receipt({ receipt: { transfer, opening }, faults }: Faults & { readonly receipt: TransferReceipt }) {
  const { mint, symbol, decimals, amount, paymentCode, madeAt, issuer } = transfer;
  return (
    <>
      <Verdict
        what="receipt"
        faults={faults}
        why="It is signed by the key below. A private transfer is on no ledger: that it was made rests on that key."
      />
      <Facts>
        <Fact name="Amount">{tokenText(amount, { mint, symbol, decimals })}</Fact>
        <Fact name={opening.side === 'payer' ? 'Paid by' : 'Paid to'}>
          <code class="break">{opening.recipient}</code>
        </Fact>
        <Fact name="Payment code">
          <code class="break">{paymentCode}</code>
        </Fact>
        <Fact name="Made">
          <Time at={madeAt} as="local" />
        </Fact>
        <Fact name="Signed by">
          <code class="break">{issuer}</code>
        </Fact>
      </Facts>
    </>
  );
}

function Result({ payslip: { leaf, settled }, faults }: Faults & PayslipFile) {
  const { mint, symbol, decimals, settledAt, window, issuer, settlement, schedule } = settled;
  return (
    <>
      <Verdict
        what="payslip"
        faults={faults}
        why={
          'It is signed by the key below, which also settled the pay run on the ledger, and the amount is part of what ' +
          'was settled.'
        }
      />
      <Facts>
        <Fact name="Amount">{tokenText(leaf.amount, { mint, symbol, decimals })}</Fact>
        <Fact name="Paid to">
          <code class="break">{leaf.recipient}</code>
        </Fact>
        <Fact name="Settled">
          <Time at={settledAt} as="local" />
        </Fact>
        <Fact name="Pay run">
          {String(window)} of <code class="break">{schedule}</code>
        </Fact>
        <Fact name="Signed by">
          <code class="break">{issuer}</code>
        </Fact>
        <Fact name="Settlement on the ledger">
          <code class="break">{settlement.signature}</code>
        </Fact>
      </Facts>
    </>
  );
}
