import { readFile } from 'node:fs/promises';
import { type Payslip, payslipFromJson } from '@payouts/client';
import { AttachmentError, attachedPayslip } from './attachment.ts';
import { payslipPdf } from './pdf.ts';

/** A payslip out of a file; `page`: whether a PDF's page is the one that belongs to what is attached to it. */
export type PayslipFile = { readonly payslip: Payslip; readonly page: 'none' | 'same' | 'different' };

/** Reads a payslip from its JSON or from its PDF. Throws `ClientError` INVALID_PAYSLIP or `AttachmentError`. */
export async function readPayslipFile(path: string): Promise<PayslipFile> {
  const bytes = await readFile(path);
  const isPdf = bytes.subarray(0, 5).toString('latin1') === '%PDF-';
  const payslip = payslipFromJson(jsonOf(isPdf ? attachedPayslip(bytes) : bytes.toString('utf8')));
  if (!isPdf) return { payslip, page: 'none' };
  const isSame = Buffer.compare(bytes, await payslipPdf(payslip)) === 0;
  return { payslip, page: isSame ? 'same' : 'different' };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AttachmentError('The file is neither a payslip in JSON nor its PDF.');
  }
}
