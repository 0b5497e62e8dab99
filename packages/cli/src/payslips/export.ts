import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Payslip, type TransferReceipt, transferReceiptToJson } from '@payouts/client';
import {
  ExportError,
  type Exported,
  type ExportedFile,
  type ExportOptions,
  exportFiles,
  payslipFiles,
} from '@payouts/statements';

export { ExportError, type Exported };

export const OWNER_ONLY = { mode: 0o600 };
/** Makes a folder for its owner alone. Throws `ExportError` for one that has something in it. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new ExportError('The folder is not empty: name a new one.');
}

/** Writes files to a new or empty folder, one after the other; returns what they came to. */
async function writeAll<T>(folder: string, files: AsyncGenerator<ExportedFile, T>): Promise<T> {
  await makeFolder(folder);
  for (;;) {
    const { done, value } = await files.next();
    if (done) return value;
    await writeFile(join(folder, value.name), value.content, OWNER_ONLY);
  }
}

/** Writes some payslips to a new or empty folder, a JSON file and a page (PDF) each. Throws `ExportError`. */
export const writeFiles = (
  folder: string,
  payslips: readonly Payslip[],
  options?: Pick<ExportOptions, 'pdf'>,
): Promise<void> => writeAll(folder, payslipFiles(payslips, options));

/**
 * Writes payslips to a folder, a JSON file and a page (PDF) each, and `totals.csv` with all of them and their sum; readable by their
 * owner alone. Each is verified first. Throws `ExportError` when one is not sound, or they don't add up to what the ledger settled.
 *
 * @param folder a new or empty one
 */
export const writePayslips = (
  folder: string,
  payslips: AsyncIterable<Payslip>,
  options?: ExportOptions,
): Promise<Exported> => writeAll(folder, exportFiles(payslips, options));

/** Writes receipts of private transfers to a new or empty folder, a JSON file each; returns how many. Throws `ExportError`. */
export const writeReceipts = (folder: string, receipts: AsyncIterable<TransferReceipt>): Promise<number> =>
  writeAll(folder, receiptFiles(receipts));

/** Files whose names say the day and nothing else. */
async function* receiptFiles(receipts: AsyncIterable<TransferReceipt>): AsyncGenerator<ExportedFile, number> {
  let count = 0;
  for await (const receipt of receipts) {
    count += 1;
    const day = new Date(receipt.transfer.madeAt).toISOString().slice(0, 10);
    const name = `transfer-${day}-${String(count).padStart(5, '0')}.json`;
    yield { name, content: `${JSON.stringify(transferReceiptToJson(receipt), null, 2)}\n` };
  }
  return count;
}
