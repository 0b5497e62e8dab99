import { payslipFaults } from '@payouts/client';
import { tokenText } from '@payouts/pages/format/amount';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { FileDrop } from '@payouts/pages/parts/FileDrop';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import type { PayslipFile } from '@payouts/statements';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';

type Checked = PayslipFile & { readonly faults: readonly string[] };

/** What reads files is loaded when the first is dropped. */
async function check(file: File): Promise<Checked> {
  const { readPayslip } = await import('@payouts/statements');
  const read = await readPayslip(new Uint8Array(await file.arrayBuffer()));
  const faults = await payslipFaults(read.payslip);
  const isRedrawn = read.page === 'different';
  return { ...read, faults: isRedrawn ? [...faults, 'The page says something else than the payslip in it.'] : faults };
}

/** Verifies a payslip in this tab: nobody is asked, and the file goes nowhere. */
export function CheckPayslip() {
  const { error, result, run } = useAction<Checked>();
  return (
    <>
      <h1>Check a payslip</h1>
      <p class="lead">Drop a payslip in. It is verified in this tab, without a network; the file goes nowhere.</p>
      <FileDrop
        label="Open a payslip (PDF or JSON)"
        accept=".json,.pdf,application/json,application/pdf"
        onFile={(file) => run(() => check(file))}
      />
      <Trouble error={error} />
      {result !== undefined && <Result {...result} />}
    </>
  );
}

function Result({ payslip: { leaf, settled }, faults }: Checked) {
  const { mint, symbol, decimals, settledAt, window, issuer, settlement, schedule } = settled;
  return (
    <>
      {faults.length === 0 ? (
        <Notice kind="good" title="This payslip is sound.">
          It is signed by the key below, which also settled the pay run on the ledger, and the amount is part of what
          was settled.
        </Notice>
      ) : (
        <Notice kind="bad" title="This payslip does not hold.">
          <ul>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </Notice>
      )}
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
