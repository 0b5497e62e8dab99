import { payslipFaults, type ReceivedPayment, type RecipientClient } from '@payouts/client';
import {
  amountText,
  ExportError,
  isWithin,
  type Period,
  paymentOf,
  type StatementPayment,
  totalsByToken,
} from '@payouts/statements';
import type { Command } from 'commander';
import { fetchPayslips } from '../../payslips/fetch.ts';
import { patiently } from '../../requests.ts';
import { apiOf, type CommonOptions, withCommon } from '../options.ts';
import { marked, write } from '../output.ts';
import { openSession } from '../session.ts';
import { type Month, monthOption, writeMonth } from './bank/months.ts';

/** Entries of a history in one answer, at most. */
const AT_ONCE = 100;
/** A history has the moments in which the coordinator noted what payslips have those of. */
const DAY_MS = 86_400_000;

/** payout receipt statement */
export function addReceiptStatement(group: Command): void {
  withCommon(group.command('statement'))
    .description('Write what you were paid in a month, as CSV and PDF')
    .argument('<month>', 'such as 2026-11, in UTC', monthOption)
    .requiredOption('--out <folder>', 'a new folder for the files')
    .action(statement);
}

async function statement(
  { written: month, period }: Month,
  options: CommonOptions & { readonly out: string },
): Promise<void> {
  const { client, owner } = await openSession(options);
  const received = await receivedIn(client, { from: period.from - DAY_MS, to: period.to + DAY_MS });
  const payments = (await paymentsIn(received, options)).filter(({ at }) => isWithin(at, period));
  await writeMonth(options.out, { month, owner, side: 'recipient', madeAt: options.time.now(), payments });
  const totals = totalsByToken(payments);
  const sums = totals.map((total) => amountText(total.amount, total)).join(', ') || 'nothing';
  write(
    options,
    { folder: options.out, payments: payments.length, totals },
    `${marked('✓', `${month}: ${sums}, each payment proven by its payslip.`)}\n  ${options.out}`,
  );
}

/** What a recipient was paid in a period, newest first. */
async function receivedIn(client: RecipientClient, period: Period): Promise<ReceivedPayment[]> {
  const found: ReceivedPayment[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.history({ limit: AT_ONCE, ...(cursor !== undefined && { cursor }) });
    for (const item of page.items) if (item.kind === 'payment' && isWithin(item.at, period)) found.push(item);
    const last = page.items.at(-1);
    cursor = last !== undefined && last.at < period.from ? null : page.nextCursor;
  }
  return found;
}

/** What payslips prove of it, oldest first. Throws `ExportError` for one that is not sound. */
async function paymentsIn(received: readonly ReceivedPayment[], options: CommonOptions): Promise<StatementPayment[]> {
  const api = await apiOf(options);
  const payments: StatementPayment[] = [];
  const windows = new Map(received.map((item) => [`${item.schedulePda} ${item.window}`, item]));
  for (const { schedulePda, window } of [...windows.values()].reverse()) {
    const { payslips } = await patiently(api.time, () => fetchPayslips(api, schedulePda, window));
    for (const payslip of payslips) {
      const [fault] = await payslipFaults(payslip);
      if (fault !== undefined) throw new ExportError(`A payslip is not sound: ${fault}`);
      payments.push(paymentOf(payslip));
    }
  }
  return payments;
}
