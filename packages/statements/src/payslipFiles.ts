import {
  entryFaults,
  type Payslip,
  payslipFaults,
  payslipToJson,
  type SignedWindow,
  windowFaults,
} from '@payouts/client';
import { formatAmount } from '@payouts/payroll';
import { getBase16Decoder } from '@solana/kit';
import { payslipPdf } from './pdf/payslip.ts';

/** Why an export is not what it should be. The message names no recipient and no amount. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}

/** What an export came to; amounts in base units. */
export type Exported = { readonly payslips: number; readonly sum: bigint; readonly settled: SignedWindow | undefined };

/** A file of an export, for whoever keeps it somewhere. */
export type ExportedFile = { readonly name: string; readonly content: string | Uint8Array<ArrayBuffer> };

export type ExportOptions = {
  /** Whether each payslip is there as a page (PDF), too; yes by default. */
  readonly pdf?: boolean;
  readonly onWritten?: (written: number) => void;
};

/** What a payslip's files are called: the entry's number alone, which means nothing to whoever does not have the list. */
export const payslipName = ({ leaf, settled }: Payslip): string =>
  `window-${settled.window}-${String(leaf.index).padStart(5, '0')}`;

async function* filesOf(payslip: Payslip, pdf: boolean): AsyncGenerator<ExportedFile> {
  const name = payslipName(payslip);
  yield { name: `${name}.json`, content: `${JSON.stringify(payslipToJson(payslip))}\n` };
  if (pdf) yield { name: `${name}.pdf`, content: new Uint8Array(await payslipPdf(payslip)) };
}

/** Some payslips, a JSON file and a page (PDF) each. Throws `ExportError` for one that is not sound. */
export async function* payslipFiles(
  payslips: readonly Payslip[],
  { pdf = true }: Pick<ExportOptions, 'pdf'> = {},
): AsyncGenerator<ExportedFile> {
  for (const payslip of payslips) {
    const [fault] = await payslipFaults(payslip);
    if (fault !== undefined) throw new ExportError(`A payslip is not sound: ${fault}`);
    yield* filesOf(payslip, pdf);
  }
}

/**
 * The same payslips, each once it is verified; at the end, what they came to. Throws `ExportError` when one is not sound, or they don't add up to what the
 * ledger settled.
 */
export async function* verifiedPayslips(payslips: AsyncIterable<Payslip>): AsyncGenerator<Payslip, Exported> {
  let settled: SignedWindow | undefined;
  let [sum, count] = [0n, 0];
  for await (const payslip of payslips) {
    if (settled?.signature !== payslip.settled.signature) await checkWindow(settled, payslip.settled);
    settled = payslip.settled;
    const [fault] = entryFaults(payslip);
    if (fault !== undefined) throw new ExportError(`Payslip ${count + 1} is not sound: ${fault}`);
    sum += payslip.leaf.amount;
    count += 1;
    yield payslip;
  }
  if (settled !== undefined && (sum !== settled.paid || count !== settled.paidCount)) {
    throw new ExportError('The payslips do not add up to what the ledger settled for the window: export them again.');
  }
  return { payslips: count, sum, settled };
}

const COLUMNS = 'file,index,recipient,amount,base_units,delivery';

/**
 * All payslips of a window, a JSON file and a page (PDF) each, and `totals.csv` with all of them and their sum; at the end, what they came
 * to. Each is verified first. Throws `ExportError` when one is not sound, or they don't add up to what the ledger settled.
 */
export async function* exportFiles(
  payslips: AsyncIterable<Payslip>,
  { pdf = true, onWritten = () => {} }: ExportOptions = {},
): AsyncGenerator<ExportedFile, Exported> {
  const totals = [`${COLUMNS}\n`];
  const verified = verifiedPayslips(payslips);
  let next = await verified.next();
  for (let written = 1; !next.done; written++) {
    const payslip = next.value;
    yield* filesOf(payslip, pdf);
    const { index, recipient, amount, delivery } = payslip.leaf;
    totals.push(
      `${payslipName(payslip)},${index},${recipient},${formatAmount(amount, payslip.settled.decimals)},${amount},${delivery}\n`,
    );
    onWritten(written);
    next = await verified.next();
  }
  const exported = next.value;
  if (exported.settled !== undefined) {
    const { paid, paidCount, decimals, settlement } = exported.settled;
    totals.push(`total,${exported.payslips},,${formatAmount(exported.sum, decimals)},${exported.sum},\n`);
    totals.push(`settled,${paidCount},${settlement.signature},${formatAmount(paid, decimals)},${paid},\n`);
  }
  yield* totalsFiles(totals.join(''));
  return exported;
}

async function* totalsFiles(content: string): AsyncGenerator<ExportedFile> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  yield { name: 'totals.csv', content };
  yield { name: 'totals.csv.sha256', content: `${getBase16Decoder().decode(new Uint8Array(digest))}  totals.csv\n` };
}

/** All payslips of an export are of one window, whose signatures are checked once. */
async function checkWindow(before: SignedWindow | undefined, settled: SignedWindow): Promise<void> {
  if (before !== undefined) throw new ExportError('The payslips are of different windows.');
  const [fault] = await windowFaults(settled);
  if (fault !== undefined) throw new ExportError(`The window is not proven: ${fault}`);
}
