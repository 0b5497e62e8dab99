import { createHash } from 'node:crypto';
import { mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  entryFaults,
  type Payslip,
  payslipFaults,
  payslipToJson,
  type SignedWindow,
  windowFaults,
} from '@payouts/client';
import { formatAmount } from '@payouts/payroll';
import { payslipPdf } from '@payouts/statements';

/** Why an export is not what it should be. The message names no recipient and no amount. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}

/** What an export came to; amounts in base units. */
export type Exported = { readonly payslips: number; readonly sum: bigint; readonly settled: SignedWindow | undefined };

/** A file's name says the entry's number alone, which means nothing to whoever does not have the list. */
const fileNameOf = ({ leaf, settled }: Payslip): string =>
  `window-${settled.window}-${String(leaf.index).padStart(5, '0')}`;

export const OWNER_ONLY = { mode: 0o600 };
/** Makes a folder for its owner alone. Throws `ExportError` for one that has something in it. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new ExportError('The folder is not empty: name a new one.');
}

async function writeFilesOf(folder: string, payslip: Payslip, pdf: boolean): Promise<string> {
  const name = fileNameOf(payslip);
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(payslipToJson(payslip))}\n`, OWNER_ONLY);
  if (pdf) await writeFile(join(folder, `${name}.pdf`), await payslipPdf(payslip), OWNER_ONLY);
  return name;
}

/** Writes some payslips to a new or empty folder, a JSON file and a page (PDF) each. Throws `ExportError`. */
export async function writeFiles(
  folder: string,
  payslips: readonly Payslip[],
  { pdf = true }: { readonly pdf?: boolean } = {},
): Promise<void> {
  await makeFolder(folder);
  for (const payslip of payslips) {
    const [fault] = await payslipFaults(payslip);
    if (fault !== undefined) throw new ExportError(`A payslip is not sound: ${fault}`);
    await writeFilesOf(folder, payslip, pdf);
  }
}

const COLUMNS = 'file,index,recipient,amount,base_units,delivery';

/**
 * Writes payslips to a folder, a JSON file and a page (PDF) each, and `totals.csv` with all of them and their sum; readable by their
 * owner alone. Each is verified first. Throws `ExportError` when one is not sound, or they don't add up to what the ledger settled.
 *
 * @param folder a new or empty one
 */
export async function writePayslips(
  folder: string,
  payslips: AsyncIterable<Payslip>,
  { pdf = true, onWritten = () => {} }: { readonly pdf?: boolean; readonly onWritten?: (written: number) => void } = {},
): Promise<Exported> {
  await makeFolder(folder);
  const totals = await open(join(folder, 'totals.csv'), 'wx', 0o600);
  const digest = createHash('sha256');
  const add = async (line: string) => {
    digest.update(line);
    await totals.write(line);
  };
  let settled: SignedWindow | undefined;
  let sum = 0n;
  let written = 0;
  try {
    await add(`${COLUMNS}\n`);
    for await (const payslip of payslips) {
      if (settled?.signature !== payslip.settled.signature) await checkWindow(settled, payslip.settled);
      settled = payslip.settled;
      const [fault] = entryFaults(payslip);
      if (fault !== undefined) throw new ExportError(`Payslip ${written + 1} is not sound: ${fault}`);
      const name = await writeFilesOf(folder, payslip, pdf);
      const { index, recipient, amount, delivery } = payslip.leaf;
      await add(`${name},${index},${recipient},${formatAmount(amount, settled.decimals)},${amount},${delivery}\n`);
      sum += amount;
      onWritten(++written);
    }
    if (settled !== undefined) {
      const { paid, paidCount, decimals, settlement } = settled;
      if (sum !== paid || written !== paidCount) {
        throw new ExportError(
          'The payslips do not add up to what the ledger settled for the window: export them again.',
        );
      }
      await add(`total,${written},,${formatAmount(sum, decimals)},${sum},\n`);
      await add(`settled,${paidCount},${settlement.signature},${formatAmount(paid, decimals)},${paid},\n`);
    }
  } finally {
    await totals.close();
  }
  await writeFile(join(folder, 'totals.csv.sha256'), `${digest.digest('hex')}  totals.csv\n`, OWNER_ONLY);
  return { payslips: written, sum, settled };
}

/** All payslips of an export are of one window, whose signatures are checked once. */
async function checkWindow(before: SignedWindow | undefined, settled: SignedWindow): Promise<void> {
  if (before !== undefined) throw new ExportError('The payslips are of different windows.');
  const [fault] = await windowFaults(settled);
  if (fault !== undefined) throw new ExportError(`The window is not proven: ${fault}`);
}
