import { type Payslip, payslipFromJson } from '@payouts/client';
import { isPdf, jsonIn } from './pdf/attachment.ts';
import { PAYSLIP_FILE, payslipPdf } from './pdf/payslip.ts';

/** A payslip out of a file; `page`: whether a PDF's page is the one that belongs to what is attached to it. */
export type PayslipFile = { readonly payslip: Payslip; readonly page: 'none' | 'same' | 'different' };

/** Reads a payslip from its JSON or from its PDF. Throws `ClientError` INVALID_PAYSLIP or `AttachmentError`. */
export async function readPayslip(bytes: Uint8Array): Promise<PayslipFile> {
  const payslip = payslipFromJson(jsonIn(bytes, PAYSLIP_FILE));
  if (!isPdf(bytes)) return { payslip, page: 'none' };
  const drawn = await payslipPdf(payslip);
  const isSame = drawn.length === bytes.length && drawn.every((byte, place) => byte === bytes[place]);
  return { payslip, page: isSame ? 'same' : 'different' };
}
