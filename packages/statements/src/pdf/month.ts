import { nextTurn } from '@payouts/client';
import { displayAmount } from '@payouts/payroll';
import { type MonthStatement, monthCsv, type StatementPayment, totalsByToken } from '../monthStatement.ts';
import { amountText, CENTS, countText, timeText } from '../texts.ts';
import { openPage, writeHeading } from './page.ts';
import { needRoom, paragraph, startBody, type TableColumn, title, writeRow } from './table.ts';

/** Lines drawn between two turns of the event loop: some milliseconds. */
const SLICE = 20;

/** A month's statement as a document (PDF), which holds its CSV as an attached file. */
export async function monthPdf(statement: MonthStatement): Promise<Uint8Array> {
  const { month, owner, side, madeAt, payments } = statement;
  const heading = `${side === 'employer' ? 'Paid' : 'Received'} in ${month}`;
  const { page, bytes } = await openPage(
    { title: heading, at: madeAt },
    { name: `${month}.csv`, description: 'The payments of the statement', type: 'text/csv', text: monthCsv(statement) },
  );
  writeHeading(page, heading, `Made ${timeText(madeAt)} for ${owner}`);
  startBody(page);
  for (const total of totalsByToken(payments)) {
    title(page, amountText(total.amount, total));
    paragraph(page, `${countText(total.count, 'payment')}, ${total.amount} base units of the token ${total.mint}`);
  }
  if (payments.length === 0) paragraph(page, 'Nothing was paid.');
  await writePayments(page, payments);
  paragraph(
    page,
    'Days are in UTC. Letters that the page can’t show are question marks. The attached file has every payment as it is, with its transaction; payslips prove each.',
  );
  return bytes();
}

const COLUMNS: readonly TableColumn[] = [
  { name: 'Settled', width: 58 },
  { name: 'Payroll', width: 62 },
  { name: 'Reference', width: 88 },
  { name: 'Name', width: 110 },
  { name: 'Recipient', width: 68 },
  { name: 'Amount', width: 97, isNumber: true },
];
const HEAD = COLUMNS.map(({ name }) => name);
/** Names that are longer would run into the next column. */
const MOST_NAME = 24;

const short = (address: string): string => `${address.slice(0, 4)}…${address.slice(-4)}`;

/** The page's fonts have Western letters alone. */
const shownName = (name: string): string => {
  const shown = name.replace(/[^\u0020-\u007e\u00a0-\u00ff]/gu, '?');
  return shown.length > MOST_NAME ? `${shown.slice(0, MOST_NAME - 1).trimEnd()}…` : shown;
};

const cellsOf = ({ at, schedule, reference, name, recipient, amount, decimals, symbol }: StatementPayment) => [
  timeText(at).slice(0, 10),
  short(schedule),
  reference,
  shownName(name),
  short(recipient),
  `${displayAmount(amount, decimals, CENTS)} ${symbol ?? ''}`.trim(),
];

async function writePayments(page: PDFKit.PDFDocument, payments: readonly StatementPayment[]): Promise<void> {
  if (payments.length === 0) return;
  title(page, 'Payments');
  writeRow(page, COLUMNS, HEAD, true);
  for (const [place, payment] of payments.entries()) {
    // A browser's page stays quick meanwhile.
    if (place % SLICE === SLICE - 1) await nextTurn();
    if (needRoom(page, 14)) writeRow(page, COLUMNS, HEAD, true);
    writeRow(page, COLUMNS, cellsOf(payment), false);
  }
  page.moveDown(0.5);
}
