import { nextTurn } from '@payouts/client';
import { displayAmount } from '@payouts/payroll';
import { EVIDENCE_FILE, type Evidence, evidenceToJson } from '../evidence.ts';
import { findingsOf, sumText } from '../findings.ts';
import { amountsOf, type Line, type PayrollStatement, type Statement } from '../statement.ts';
import { CENTS, countText, timeText } from '../texts.ts';
import { FAINT, FONTS, INK, MARGIN, openPage, RIGHT, writeHeading, writeRule } from './page.ts';
import { needRoom, paragraph, startBody, type TableColumn, title, writeRow } from './table.ts';

const WIDTH = RIGHT - MARGIN;
/** Lines drawn between two turns of the event loop: some milliseconds. */
const SLICE = 20;
const TITLES = { totals: 'Audit statement: totals', recipients: 'Audit statement: named recipients' };

/**
 * A statement as a document (PDF), which holds all that it was made from as an attached file: the document alone can be verified again.
 * The grand totals come first, then what they rest on, then every figure.
 */
export async function statementPdf(statement: Statement, evidence: Evidence): Promise<Uint8Array> {
  const { kind, auditor, madeAt, payrolls } = statement;
  const { page, bytes } = await openPage(
    { title: TITLES[kind], at: madeAt },
    {
      name: EVIDENCE_FILE,
      description: 'The proofs that the statement was made from',
      text: JSON.stringify(evidenceToJson(evidence)),
    },
  );
  writeHeading(page, TITLES[kind], `Made ${timeText(madeAt)} for ${auditor}`);
  startBody(page);
  writeTotals(page, statement);
  writeFindings(page, statement);
  for (const payroll of payrolls) await writePayroll(page, payroll, kind);
  writeHowTo(page, kind);
  return bytes();
}

function writeTotals(page: PDFKit.PDFDocument, { sums, people, payrolls, unverified }: Statement): void {
  const windows = new Set(
    payrolls.flatMap(({ lines }) => lines.map(({ schedule, window }) => `${schedule} ${window}`)),
  );
  const what = `${countText(windows.size, 'window')} of ${countText(payrolls.length, 'payroll')}`;
  paragraph(page, `Paid in all, over ${what}, in figures that were verified:`, FAINT);
  for (const sum of sums) {
    page.font(FONTS.bold).fontSize(18).fillColor(INK).text(sumText(sum), MARGIN, page.y, { width: WIDTH });
    paragraph(page, `${countText(sum.lines, 'figure')}, ${sum.paid} base units of the token ${sum.mint}`, FAINT);
  }
  if (sums.length === 0) paragraph(page, 'No figure was verified.');
  if (unverified > 0) paragraph(page, `${countText(unverified, 'figure')} not verified, and not in it.`);
  if (people.length > 0) title(page, 'Each recipient');
  for (const { recipient, sums: own } of people) {
    paragraph(page, `${recipient}: ${own.map(sumText).join(', ') || 'nothing verified'}`);
  }
}

function writeFindings(page: PDFKit.PDFDocument, statement: Statement): void {
  const { verified, open } = findingsOf(statement);
  title(page, 'What was verified');
  for (const sentence of verified) paragraph(page, `• ${sentence}`);
  if (open.length > 0) title(page, 'What was not verified');
  for (const sentence of open) paragraph(page, `• ${sentence}`);
}

const COLUMNS: Readonly<Record<Statement['kind'], readonly TableColumn[]>> = {
  totals: [
    { name: 'Window', width: 45, isNumber: true },
    { name: 'Settled (UTC)', width: 100 },
    { name: 'Promised', width: 105, isNumber: true },
    { name: 'Paid', width: 105, isNumber: true },
    { name: 'Entries paid', width: 78, isNumber: true },
    { name: 'Verified', width: 50 },
  ],
  recipients: [
    { name: 'Window', width: 42, isNumber: true },
    { name: 'Settled (UTC)', width: 62 },
    { name: 'Recipient', width: 224, font: FONTS.fixed },
    { name: 'Paid', width: 85, isNumber: true },
    { name: 'Verified', width: 70 },
  ],
};

const STATES = { paid: '', held: ', held back', unpaid: ', not paid' };

function cellsOf(line: Line, columns: readonly TableColumn[]): readonly string[] {
  const { window, settled, entry, faults } = line;
  const verified = faults.length === 0 ? 'yes' : 'no';
  if (settled === null) return [String(window), ...columns.slice(2).map(() => ''), verified];
  const { promised, paid } = amountsOf(line);
  const at = timeText(settled.settledAt);
  const amount = (units: bigint) => displayAmount(units, settled.decimals, CENTS);
  if (entry !== null) {
    return [
      String(window),
      at.slice(0, 10),
      entry.recipient,
      amount(paid),
      `${verified}${entry.state === null ? '' : STATES[entry.state]}`,
    ];
  }
  const counts = `${settled.paidCount} of ${settled.recipients}`;
  return [String(window), at.slice(0, 16), amount(promised), amount(paid), counts, verified];
}

async function writePayroll(
  page: PDFKit.PDFDocument,
  payroll: PayrollStatement,
  kind: Statement['kind'],
): Promise<void> {
  title(page, `Payroll ${payroll.schedule}`);
  if (payroll.lines.length === 0) {
    paragraph(page, 'No settled window was shown.', FAINT);
    return;
  }
  const columns = COLUMNS[kind];
  writeRow(
    page,
    columns,
    columns.map(({ name }) => name),
    true,
  );
  for (const [place, line] of payroll.lines.entries()) {
    // A browser's page stays quick meanwhile.
    if (place % SLICE === SLICE - 1) await nextTurn();
    if (needRoom(page, 14)) {
      writeRow(
        page,
        columns,
        columns.map(({ name }) => name),
        true,
      );
    }
    writeRow(page, columns, cellsOf(line, columns), false);
    for (const fault of line.faults) paragraph(page, fault, FAINT);
  }
  writeRule(page, page.y);
  page.moveDown(0.3);
  paragraph(page, `Together: ${payroll.sums.map(sumText).join(', ') || 'nothing verified'}`);
}

function writeHowTo(page: PDFKit.PDFDocument, kind: Statement['kind']): void {
  title(page, 'How to verify it again');
  const secret =
    kind === 'totals'
      ? 'It names no recipient.'
      : 'It holds the salts of the entries: give it only to whom you would show the amounts.';
  paragraph(
    page,
    `Only the file ${EVIDENCE_FILE}, which is attached to this document, is proven; the pages show what it says. The command ` +
      `"payout audit verify" with this PDF verifies every figure again without a network, and with --rpc on the ledger. ${secret}`,
  );
}
