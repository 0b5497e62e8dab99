import { readFile } from 'node:fs/promises';
import { type BankToken, currencyOf, readPaymentFile } from '@payouts/bank-files';
import { type PaymentFile, readNames } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { type ProvenRun, provenRun } from '../../../provenRuns.ts';
import { readingPayroll } from '../../employer/payroll.ts';
import { Failure } from '../../failure.ts';
import { writeNewFile } from '../../newFile.ts';
import { apiOf, type CommonOptions } from '../../options.ts';
import { marked, write } from '../../output.ts';

/** What a command takes that writes a file for a bank's customer. */
export type BankFileOptions = { readonly out: string; readonly currency?: string; readonly json?: true };

/** Adds `--out` and `--currency`. */
export const withBankFile = (command: Command): Command =>
  command
    .requiredOption('--out <file>', 'a new file')
    .option(
      '--currency <code>',
      'the currency that the token stands for, such as USD; of USDC and the like it is known',
    );

/** How a token's amounts are written. */
export const bankToken = (
  { mint, decimals }: { readonly mint: string; readonly decimals: number },
  { currency }: BankFileOptions,
): BankToken => ({ currency: currencyOf(mint, currency), decimals });

/** Writes the file, which its owner alone can read, and says so. Throws `Failure` file-exists. */
export async function writeBankFile(
  options: BankFileOptions,
  text: string,
  found: object,
  sentence: string,
): Promise<void> {
  await writeNewFile(options.out, text, '--out');
  write(options, { file: options.out, ...found }, `${marked('✓', sentence)}\n  ${options.out}`);
}

/** Reads a payment file. Throws `Failure`. */
export const paymentFileOf = (file: string): Promise<PaymentFile> =>
  readingPayroll(file, async () => readPaymentFile(await readFile(file)));

/** What a payroll calls its recipients, by their addresses. Throws `Failure`. */
export async function namesOf(file: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (file === undefined) return new Map();
  const named = await readingPayroll(file, async () => readNames(await readFile(file)));
  return new Map(named.flatMap(([recipient, { name }]) => (name === undefined ? [] : [[recipient, name] as const])));
}

/** A settled pay run, for its employer. Throws `Failure` run-not-settled, too. */
export async function runOf(schedule: Address, window: bigint, options: CommonOptions): Promise<ProvenRun> {
  const run = await provenRun(await apiOf(options), schedule, window);
  if (run !== undefined) return run;
  throw new Failure('run-not-settled', `Pay run ${window} is not settled: payout runs ${schedule} says where it is.`);
}
