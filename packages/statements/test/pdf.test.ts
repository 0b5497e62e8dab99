import { extractText, getDocumentProxy } from 'unpdf';
import { describe, expect, it } from 'vitest';
import { payslipOf, settledWindow } from '../../client/test/payslips.ts';
import { randomLeaves } from '../../client/test/support.ts';
import {
  amountText,
  EVIDENCE_FILE,
  evidenceFromJson,
  evidenceToJson,
  jsonIn,
  payslipPdf,
  readPayslip,
  statementPdf,
  verifyEvidence,
} from '../src/index.ts';
import { made, type Shape } from './evidences.ts';

const textOf = async (pdf: Uint8Array): Promise<string> =>
  (await extractText(await getDocumentProxy(Uint8Array.from(pdf)), { mergePages: true })).text;

/** More than one page of lines. */
const LONG: Shape = [
  { token: 0, windows: Array.from({ length: 26 }, () => ({ count: 2, held: 9, unpaid: 9, named: 2 })) },
];

describe('a statement’s PDF', () => {
  it('shows every figure and the sums to a PDF reader, and holds what verifies them again', async () => {
    for (const kind of ['totals', 'recipients'] as const) {
      const { evidence } = await made(LONG, kind);
      const statement = await verifyEvidence(evidence);
      const pdf = await statementPdf(statement, evidence);
      const text = await textOf(pdf);
      const [sum] = statement.sums;
      if (sum === undefined) throw new Error('nothing was verified');
      expect(text).toContain(amountText(sum.paid, sum));
      expect(text).toContain(`${sum.lines} figures`);
      for (const { entry } of statement.payrolls[0]?.lines ?? [])
        if (entry !== null) expect(text).toContain(entry.recipient);
      if (kind === 'recipients') expect((await getDocumentProxy(Uint8Array.from(pdf))).numPages).toBeGreaterThan(1);
      const again = evidenceFromJson(jsonIn(pdf, EVIDENCE_FILE));
      expect(evidenceToJson(again)).toEqual(evidenceToJson(evidence));
      expect((await verifyEvidence(again)).sums).toEqual(statement.sums);
      expect(Buffer.compare(pdf, await statementPdf(statement, evidence))).toBe(0);
    }
  });
});

describe('a payslip’s PDF', () => {
  it('shows the amount to a PDF reader, and is known from a page on which something was changed', async () => {
    const payslip = payslipOf(await settledWindow(randomLeaves(5)), 3);
    const pdf = await payslipPdf(payslip);
    expect(await textOf(pdf)).toContain(amountText(payslip.leaf.amount, payslip.settled));
    expect((await readPayslip(pdf)).page).toBe('same');
    const changed = Uint8Array.from(pdf);
    const place = Buffer.from(pdf).indexOf('/Title');
    changed[place + 8] = (changed[place + 8] as number) ^ 1;
    expect((await readPayslip(changed)).page).toBe('different');
  });
});
