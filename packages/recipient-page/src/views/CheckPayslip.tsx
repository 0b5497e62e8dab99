import { ClientError, type Payslip, payslipFaults, payslipFromJson } from '@payouts/client';
import { tokenText } from '@payouts/pages/format/amount';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { FileDrop } from '../parts/FileDrop.tsx';
import { Trouble } from '../parts/Trouble.tsx';
import { useAction } from '../parts/useAction.ts';

type Checked = { readonly payslip: Payslip; readonly faults: readonly string[] };

async function check(file: File): Promise<Checked> {
  const payslip = payslipFromJson(parsed(await file.text()));
  return { payslip, faults: await payslipFaults(payslip) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ClientError(
      'INVALID_PAYSLIP',
      'This is no payslip: it is not JSON. Choose the file that was saved here.',
      {
        cause,
      },
    );
  }
}

/** Verifies a payslip in this tab: nobody is asked, and the file goes nowhere. */
export function CheckPayslip() {
  const { error, result, run } = useAction<Checked>();
  return (
    <>
      <h1>Check a payslip</h1>
      <p class="lead">Drop a payslip in. It is verified in this tab, without a network; the file goes nowhere.</p>
      <FileDrop label="Payslip (JSON)" onFile={(file) => run(() => check(file))} />
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
