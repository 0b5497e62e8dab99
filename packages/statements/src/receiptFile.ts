import { isTransferReceipt, type TransferReceipt, transferReceiptFromJson } from '@payouts/client';
import { type PayslipFile, readPayslip } from './payslipFile.ts';
import { isPdf, jsonIn } from './pdf/attachment.ts';
import { PAYSLIP_FILE } from './pdf/payslip.ts';

/** What a file proves: a payslip, or the receipt of a private transfer. */
export type ReceiptFile = PayslipFile | { readonly receipt: TransferReceipt };

/** Reads a payslip from JSON or PDF, or a receipt from its JSON. Throws `ClientError` INVALID_PAYSLIP or INVALID_RECEIPT, or `AttachmentError`. */
export async function readReceipt(bytes: Uint8Array): Promise<ReceiptFile> {
  const json = isPdf(bytes) ? undefined : jsonIn(bytes, PAYSLIP_FILE);
  return isTransferReceipt(json) ? { receipt: transferReceiptFromJson(json) } : readPayslip(bytes);
}
