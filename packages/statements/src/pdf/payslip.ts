import { type Payslip, payslipToJson } from '@payouts/client';
import { currencyText, rateText } from '@payouts/payroll';
import { getBase16Decoder } from '@solana/kit';
import { amountText, dateText, timeText } from '../texts.ts';
import { broken, FAINT, FONTS, INK, MARGIN, openPage, RIGHT, writeHeading } from './page.ts';

/** Name of the file inside the page, by which it is found again. */
export const PAYSLIP_FILE = 'payslip.json';

const toHex = (bytes: Uint8Array): string => getBase16Decoder().decode(bytes);

const LABEL_WIDTH = 96;
const VALUE_LEFT = MARGIN + LABEL_WIDTH;

/**
 * A payslip as one page (PDF), which holds the payslip itself as an attached file: the page alone can be verified. The same payslip
 * gives the same bytes, so that a page on which something was changed is seen.
 */
export async function payslipPdf(payslip: Payslip): Promise<Uint8Array> {
  const { settled } = payslip;
  const { page, bytes } = await openPage(
    { title: `Payslip, window ${settled.window}`, at: settled.settledAt },
    { name: PAYSLIP_FILE, description: 'The signed payslip', text: JSON.stringify(payslipToJson(payslip)) },
  );
  writeHeading(page, 'Payslip', `Window ${settled.window}, settled on ${dateText(settled.settledAt)}`);
  writeAmount(page, payslip);
  writeDetails(page, payslip);
  return bytes();
}

/** How much. */
function writeAmount(page: PDFKit.PDFDocument, { leaf, settled, note }: Payslip): void {
  const amount = amountText(leaf.amount, settled);
  // A long amount is written smaller, so that it stays one line.
  page.font(FONTS.bold).fontSize(26).fillColor(INK);
  const shrunk = Math.min(1, (RIGHT - MARGIN) / page.widthOfString(amount));
  page.fontSize(26 * shrunk).text(amount, MARGIN, MARGIN + 70, { lineBreak: false });
  page.font(FONTS.plain).fontSize(10).fillColor(FAINT);
  const way = leaf.delivery === 'wallet' ? "to the recipient's wallet" : "to the recipient's private balance";
  page.text(`${leaf.amount} base units, paid ${way}`, MARGIN, MARGIN + 102);
  if (note === undefined) return;
  const rate = rateText(note, settled.symbol ?? 'tokens');
  page.text(`${currencyText(note.currency, [note.amount])} at ${rate}, by the employer’s note`, MARGIN, MARGIN + 116);
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
  row('Window', `${settled.window}, settled on ${timeText(settled.settledAt)}`, FONTS.plain);
  row('Token', settled.mint);
  row(
    'All together',
    `${settled.paidCount} of ${settled.recipients} entries of the list were paid in this window`,
    FONTS.plain,
  );
  y += 10;
  section('What proves it');
  row('Entry', `number ${leaf.index} of the list, counted from 0`, FONTS.plain);
  row("List's root", toHex(settled.root));
  row("Bitmap's hash", toHex(settled.bitmapHash));
  row('Settlement', broken(settled.settlement.signature));
  row('Slot', settled.settlement.slot === null ? 'not known' : String(settled.settlement.slot));
  row('Ledger program', settled.program);
  row('Signed by', settled.issuer);
  y += 10;
  section('How to verify it');
  page.font(FONTS.plain).fontSize(9).fillColor(INK);
  const how =
    `Only the file ${PAYSLIP_FILE}, which is attached to this page, is signed; the page shows what it says. The command ` +
    '"payout receipt verify" with this PDF checks it without a network, and says what can be looked up on the ledger. ' +
    'The file holds the salt of the entry: give it only to whom you would show the amount.';
  page.text(how, MARGIN, y, { width: RIGHT - MARGIN, lineGap: 2 });
}
