import { type Payslip, payslipToJson } from '@payouts/client';
import { displayAmount } from '@payouts/payroll';

/** Name of the file inside the page, by which it is found again. */
export const ATTACHMENT = 'payslip.json';

/** Points; A4 is 595 by 842. */
const MARGIN = 56;
const LABEL_WIDTH = 96;
const RIGHT = 595 - MARGIN;
const VALUE_LEFT = MARGIN + LABEL_WIDTH;

const INK = '#1a1d21';
const FAINT = '#667079';
const LINE = '#d5d9dd';
const FONTS = { plain: 'Helvetica', bold: 'Helvetica-Bold', fixed: 'Courier' };

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A date in UTC, such as 30 November 2026. */
export const dateText = (unixMs: number): string =>
  new Date(unixMs).toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' });

/** An amount in tokens with the token's own name, such as 1,500 USDC. */
export const amountText = ({ leaf, settled }: Payslip): string =>
  `${displayAmount(leaf.amount, settled.decimals)} ${settled.symbol ?? 'tokens'}`;

/**
 * A payslip as one page (PDF), which holds the payslip itself as an attached file: the page alone can be verified. The same payslip
 * gives the same bytes, so that a page on which something was changed is seen.
 */
export async function payslipPdf(payslip: Payslip): Promise<Uint8Array> {
  // Loaded when it is needed: no other command should wait for it.
  const { default: PDFDocument } = await import('pdfkit');
  const { settled } = payslip;
  const at = new Date(settled.settledAt);
  const page = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    // The attachment stays readable without a library, and the bytes don't depend on one.
    compress: false,
    info: { Title: `Payslip, window ${settled.window}`, CreationDate: at, ModDate: at },
  });
  const chunks: Buffer[] = [];
  page.on('data', (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<Uint8Array>((resolve, reject) => {
    page.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
    page.on('error', reject);
  });

  const json = Buffer.from(JSON.stringify(payslipToJson(payslip)));
  page.file(json, {
    name: ATTACHMENT,
    type: 'application/json',
    description: 'The signed payslip',
    creationDate: at,
    modifiedDate: at,
  });

  writeHeading(page, payslip);
  writeDetails(page, payslip);
  page.end();
  return done;
}

/** What it is, for when, and how much. */
function writeHeading(page: PDFKit.PDFDocument, payslip: Payslip): void {
  const { leaf, settled } = payslip;
  page.font(FONTS.bold).fontSize(22).fillColor(INK).text('Payslip', MARGIN, MARGIN);
  page.font(FONTS.plain).fontSize(10).fillColor(FAINT);
  page.text(`Window ${settled.window}, settled on ${dateText(settled.settledAt)}`, MARGIN, MARGIN + 28);
  page
    .moveTo(MARGIN, MARGIN + 52)
    .lineTo(RIGHT, MARGIN + 52)
    .strokeColor(LINE)
    .lineWidth(1)
    .stroke();

  // A long amount is written smaller, so that it stays one line.
  page.font(FONTS.bold).fontSize(26).fillColor(INK);
  const shrunk = Math.min(1, (RIGHT - MARGIN) / page.widthOfString(amountText(payslip)));
  page.fontSize(26 * shrunk).text(amountText(payslip), MARGIN, MARGIN + 70, { lineBreak: false });
  page.font(FONTS.plain).fontSize(10).fillColor(FAINT);
  const way = leaf.delivery === 'wallet' ? "to the recipient's wallet" : "to the recipient's private balance";
  page.text(`${leaf.amount} base units, paid ${way}`, MARGIN, MARGIN + 102);
}

/** Every field that is signed, and how to verify it. */
function writeDetails(page: PDFKit.PDFDocument, { leaf, settled }: Payslip): void {
  let y = MARGIN + 140;
  const section = (title: string): void => {
    page.font(FONTS.bold).fontSize(11).fillColor(INK).text(title, MARGIN, y);
    y += 20;
  };
  const row = (label: string, value: string, font = FONTS.fixed): void => {
    page.font(FONTS.plain).fontSize(9).fillColor(FAINT).text(label, MARGIN, y, { width: LABEL_WIDTH });
    page.font(font).fontSize(9).fillColor(INK);
    const width = RIGHT - VALUE_LEFT;
    page.text(value, VALUE_LEFT, y, { width });
    y += Math.max(11, page.heightOfString(value, { width })) + 6;
  };

  section('Who');
  row('Recipient', leaf.recipient);
  row("Employer's vault", settled.vault);
  y += 10;
  section('What for');
  row('Schedule', settled.schedule);
  row(
    'Window',
    `${settled.window}, settled on ${new Date(settled.settledAt).toISOString().replace('T', ' ').slice(0, 19)} UTC`,
    FONTS.plain,
  );
  row('Token', settled.mint);
  row(
    'All together',
    `${settled.paidCount} of ${settled.recipients} entries of the list were paid in this window`,
    FONTS.plain,
  );
  y += 10;
  section('What proves it');
  row('Entry', `number ${leaf.index} of the list, counted from 0`, FONTS.plain);
  row("List's root", hex(settled.root));
  row("Bitmap's hash", hex(settled.bitmapHash));
  row('Settlement', broken(settled.settlement.signature));
  row('Slot', settled.settlement.slot === null ? 'not known' : String(settled.settlement.slot));
  row('Ledger program', settled.program);
  row('Signed by', settled.issuer);
  y += 10;
  section('How to verify it');
  page.font(FONTS.plain).fontSize(9).fillColor(INK);
  const how =
    `Only the file ${ATTACHMENT}, which is attached to this page, is signed; the page shows what it says. The command ` +
    '"payout receipt verify" with this PDF checks it without a network, and says what can be looked up on the ledger. ' +
    'The file holds the salt of the entry: give it only to whom you would show the amount.';
  page.text(how, MARGIN, y, { width: RIGHT - MARGIN, lineGap: 2 });
}

/** A signature in two halves, which fit the column. */
const broken = (signature: string): string => `${signature.slice(0, 44)}\n${signature.slice(44)}`;
