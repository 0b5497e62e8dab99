import { csvRows } from './csv.ts';
import { looksLikeXml } from './paymentFile/encoding.ts';
import type { Table } from './table.ts';
import { textOf } from './text.ts';

/** How a file's rows are found. */
export type OpenOptions = {
  /** Headers that are known beside the usual ones. */
  readonly named: readonly string[];
  /** Name of the sheet that is the payroll. */
  readonly sheet?: string | undefined;
};

/** The rows of a payroll: CSV in UTF-8, a workbook or a payment file, which are told by their first bytes. Throws `PayrollError`. */
export async function openTable(content: Uint8Array | string, { named, sheet }: OpenOptions): Promise<Table> {
  if (typeof content !== 'string' && looksPacked(content)) {
    // Whoever opens CSV loads nothing of this.
    const { readWorkbook } = await import('./workbook/workbook.ts');
    return readWorkbook(content, sheet);
  }
  if (looksLikeXml(content)) {
    const { openPaymentFile } = await import('./paymentFile/paymentFile.ts');
    return openPaymentFile(content);
  }
  return { slices: csvRows(await textOf(content), named) };
}

/** As archives, and files of older programs, begin, and no text. */
const looksPacked = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0x50 && bytes[1] === 0x4b) || (bytes[0] === 0xd0 && bytes[1] === 0xcf);
