import { readFile } from 'node:fs/promises';
import { patientRpc, payslipFaults, type Time, type TransferReceipt, transferFaults } from '@payouts/client';
import { notedPayslips } from '@payouts/employer';
import { displayAmount } from '@payouts/payroll';
import { isAuthorityOnLedger, type PayslipFile, readReceipt } from '@payouts/statements';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { historyOf } from '../../audits.ts';
import { writeFiles, writePayslips, writeReceipts } from '../../payslips/export.ts';
import { exportedPayslips, fetchPayslips } from '../../payslips/fetch.ts';
import { isSound, verificationJson, verificationText } from '../../payslips/report.ts';
import { transferJson, transferText } from '../../payslips/transferReport.ts';
import { transferReceipts } from '../../payslips/transfers.ts';
import { type BookOptions, keptList, withBook } from '../employer/book.ts';
import { Failure } from '../failure.ts';
import { addressOption, apiOf, type CommonOptions, SCHEDULE, windowOption, withCommon } from '../options.ts';
import { print, write } from '../output.ts';
import { openSession } from '../session.ts';
import { addReceiptStatement } from './receiptStatement.ts';

type Export = Files & BookOptions;
type Files = CommonOptions & { readonly out: string; readonly pdf: boolean };

/** `receipt verify|fetch|transfers|export`, also written `receipts`. */
export function addReceipt(program: Command): void {
  const group = program
    .command('receipt')
    .alias('receipts')
    .description('Payslips and receipts: what a settled window paid, or a private transfer, with what proves it');

  group
    .command('verify <files...>')
    .description('Verify payslips and receipts, JSON or PDF, without a network')
    .option('--authority <address>', 'the execution authority, where you know it', addressOption)
    .option('--rpc <url>', 'also look the settlement up on the base ledger, at a node that keeps its history')
    .option('--json', 'write JSON, a line for each file')
    .action(async (paths: readonly string[], options: VerifyOptions) => {
      let unsound = 0;
      for (const path of paths) {
        if (paths.length > 1 && options.json !== true) print(`${path}:`);
        const sound = await verify(path, options).catch((error: Error) => {
          write(options, { sound: false, faults: [error.message] }, `✖ ${error.message}`);
          return false;
        });
        if (!sound) unsound += 1;
      }
      if (unsound > 0)
        throw new Failure('payslip-unsound', `${unsound} of ${countText(paths.length)} can't be relied on.`);
    });

  const files = (command: Command) =>
    withCommon(command)
      .requiredOption('--out <folder>', 'a new folder for the files')
      .option('--no-pdf', 'JSON files only');

  files(group.command('fetch'))
    .description('Download your own payslips of a window')
    .argument(...SCHEDULE)
    .argument('<window>', 'number of the window', windowOption)
    .action(async (schedule: Address, window: bigint, options: Files) => {
      const { payslips, unpaid } = await fetchPayslips(await apiOf(options), schedule, window);
      await writeFiles(options.out, payslips, options);
      const lines = [
        `✓ ${countText(payslips.length)} of window ${window}, in ${options.out}.`,
        ...unpaid.map(({ index, reason }) => `! Entry ${index} was not paid: ${REASONS[reason]}.`),
      ];
      write(
        options,
        { payslips: payslips.length, unpaid: unpaid.map(({ index, reason }) => ({ index, reason })) },
        lines.join('\n'),
      );
    });

  addReceiptStatement(group);
  withCommon(group.command('transfers'))
    .description('Download receipts of the private transfers that you have made and received')
    .requiredOption('--out <folder>', 'a new folder for the files')
    .action(async ({ out, ...options }: CommonOptions & { readonly out: string }) => {
      const { client } = await openSession(options);
      const receipts = await writeReceipts(out, transferReceipts(client));
      const text = `✓ ${receipts === 1 ? '1 receipt' : `${receipts} receipts`} of private transfers, in ${out}.`;
      write(options, { receipts }, text);
    });

  withBook(files(group.command('export')))
    .description('Download all payslips of a window, for the employer, and their totals')
    .argument(...SCHEDULE)
    .argument('<window>', 'number of the window', windowOption)
    .action(async (schedule: Address, window: bigint, options: Export) => {
      const api = await apiOf(options);
      const inBook = async (own: Address, root: Uint8Array) => (await keptList(options, own, root))?.converted;
      const stream = notedPayslips(exportedPayslips(api, schedule, window), api.signer, inBook);
      const { payslips, sum, settled } = await writePayslips(options.out, stream, options);
      const text =
        settled === undefined
          ? `! Window ${window} paid nobody.`
          : `✓ ${countText(payslips)} of window ${window}, in ${options.out}.\n` +
            `  Their sum is what the ledger settled: ${displayAmount(sum, settled.decimals)} ${settled.symbol ?? 'tokens'}.`;
      write(options, { payslips, sum: sum.toString(), paid: settled?.paid.toString() ?? '0' }, text);
    });
}

type VerifyOptions = {
  readonly authority?: Address;
  readonly rpc?: string;
  readonly json?: true;
  readonly time: Time;
};

/** Whether a payslip or receipt holds, having printed why. */
async function verify(path: string, options: VerifyOptions): Promise<boolean> {
  const read = await readReceipt(await readFile(path));
  return 'receipt' in read ? verifyTransfer(read.receipt, options) : verifyPayslip(read, options);
}

async function verifyTransfer(receipt: TransferReceipt, options: VerifyOptions): Promise<boolean> {
  const { rpc, time, authority } = options;
  const faults = await transferFaults(receipt, authority);
  const isAuthority =
    rpc === undefined ? undefined : await isAuthorityOnLedger(receipt.transfer, patientRpc(rpc, time));
  const checked = { receipt, faults, isAuthority };
  write(options, transferJson(checked), transferText(checked));
  return faults.length === 0;
}

async function verifyPayslip(read: PayslipFile, options: VerifyOptions): Promise<boolean> {
  const faults = await payslipFaults(read.payslip, options.authority);
  const ledger =
    options.rpc === undefined ? undefined : await historyOf(options.rpc, options.time).window(read.payslip.settled);
  const verification = { ...read, faults, ledger };
  write(options, verificationJson(verification), verificationText(verification));
  return isSound(verification);
}

const REASONS = {
  held: 'the employer held it back',
  unpaid: 'it could not be paid until the window was closed',
};

const countText = (payslips: number): string => (payslips === 1 ? '1 payslip' : `${payslips} payslips`);
