import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { camt053, journalOf } from '@payouts/bank-files';
import { fetchMaybeVault, findVaultAddress } from '@payouts/client';
import { readToken, type TokenInfo } from '@payouts/employer';
import {
  closingOf,
  ExportError,
  type MonthStatement,
  monthCsv,
  monthOf,
  monthPdf,
  type Period,
  periodOf,
  readVaultHistory,
  type StatementPayment,
  type VaultPeriod,
} from '@payouts/statements';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { makeFolder, OWNER_ONLY } from '../../../payslips/export.ts';
import { withName } from '../../amounts.ts';
import { progressBar } from '../../bar.ts';
import { Failure } from '../../failure.ts';
import { openEmployer } from '../../ledgerChange.ts';
import { addressOption, type CommonOptions, type KeyOptions, withCommon, withJson, withKey } from '../../options.ts';
import { marked, write } from '../../output.ts';
import { type LedgerOptions, withLedger } from '../../rpc.ts';
import { type BankFileOptions, bankToken, namesOf, runOf, withBankFile, writeBankFile } from './parts.ts';

export type Month = { readonly written: string; readonly period: Period };
type MonthOptions = KeyOptions & LedgerOptions & { readonly token: Address; readonly month: Month };
type JournalOptions = MonthOptions &
  BankFileOptions & {
    readonly for: 'quickbooks' | 'xero';
    readonly debit: string;
    readonly credit: string;
    readonly taxRate?: string;
  };

/** payout bank camt053|journal|statement */
export function addMonths(bank: Command): void {
  const ofMonth = (command: Command) =>
    withLedger(command)
      .requiredOption('--token <mint>', "the token's mint", addressOption)
      .requiredOption('--month <month>', 'such as 2026-11, in UTC', monthOption);
  withBankFile(ofMonth(withJson(withKey(bank.command('camt053')))))
    .description("Write a vault's statement of account for a month (camt.053)")
    .option('--company <name>', 'whose vault it is, by name')
    .action(account);
  withBankFile(ofMonth(withJson(withKey(bank.command('journal')))))
    .description("Write a month's pay runs as a journal that accounting programs import")
    .addOption(
      new Option('--for <program>', 'whose columns it has').choices(['quickbooks', 'xero']).makeOptionMandatory(),
    )
    .requiredOption('--debit <account>', 'the account of your wages: its name in QuickBooks, its code in Xero')
    .requiredOption('--credit <account>', 'the account that the vault has in your books')
    .option('--tax-rate <name>', 'for Xero: the tax rate that wages have there')
    .action(journal);
  ofMonth(withCommon(bank.command('statement')))
    .description("Write a month's payments with names, as CSV and PDF")
    .requiredOption('--out <folder>', 'a new folder for the files')
    .option('--names <file>', 'a payroll that has names')
    .action(statement);
}

export function monthOption(written: string): Month {
  const period = monthOf(written);
  if (period === undefined) throw new InvalidArgumentError('It is not a month such as 2026-11.');
  return { written, period };
}

/** The employer's vault over the month, by the base ledger. Throws `Failure` and `HistoryError`. */
async function vaultMonth(
  options: MonthOptions,
): Promise<VaultPeriod & { vault: Address; owner: Address; token: TokenInfo }> {
  const { employer, ledgers } = await openEmployer(options);
  const token = await readToken(ledgers, options.token);
  const vault = await findVaultAddress(employer.address, token.mint);
  const { exists } = await fetchMaybeVault(ledgers.base, vault, { commitment: 'finalized' });
  if (!exists) throw new Failure('vault-missing', `You have no vault of ${token.name}. Open one first.`);
  const bar = progressBar("Reading the vault's history");
  try {
    const history = await readVaultHistory(vault, ledgers.base, (read, of) => bar.at(read / of));
    return { ...periodOf(history, options.month.period), vault, owner: employer.address, token };
  } finally {
    bar.end();
  }
}

async function account(options: MonthOptions & BankFileOptions & { readonly company?: string }): Promise<void> {
  const found = await vaultMonth(options);
  const { vault, token, opening, movements } = found;
  const { month, company: owner = '', time } = options;
  const written = bankToken(token, options);
  const statement = { createdAt: time.now(), vault, owner, token: written, period: month.period, opening };
  const text = camt053({ ...statement, entries: movements });
  const closing = closingOf(found);
  const result = { entries: movements.length, opening, closing };
  const sentence = `${month.written}: from ${withName(opening, token)} to ${withName(closing, token)}, as on the ledger.`;
  await writeBankFile(options, text, result, sentence);
}

async function journal(options: JournalOptions): Promise<void> {
  const { token, movements } = await vaultMonth(options);
  const { debit, credit, taxRate, month, for: program } = options;
  const { text, ...found } = journalOf(movements, { program, debit, credit, taxRate }, bankToken(token, options));
  await writeBankFile(options, text, found, `${month.written}: ${withName(found.paid, token)} were paid.`);
}

type StatementOptions = MonthOptions & CommonOptions & { readonly out: string; readonly names?: string };

async function statement(options: StatementOptions): Promise<void> {
  const names = await namesOf(options.names);
  const { movements, token, owner } = await vaultMonth(options);
  const payments: StatementPayment[] = [];
  for (const { run, amount, signature, at } of movements) {
    if (run === undefined) continue;
    if (run.paidCount === null) throw reclaimed(run.window);
    const { settled, payments: made } = await runOf(run.schedule, run.window, options);
    if (settled.paid !== amount || settled.settlement.signature !== signature) {
      throw new ExportError('The payslips of a pay run do not add up to what the ledger settled.');
    }
    for (const payment of made) payments.push({ ...payment, at, name: names.get(payment.recipient) ?? '' });
  }
  const { written: month } = options.month;
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0n);
  await writeMonth(options.out, { month, owner, side: 'employer', madeAt: options.time.now(), payments });
  const sentence = `${month}: ${withName(paid, token)} in ${payments.length} payments, as on the ledger.`;
  write(
    options,
    { folder: options.out, payments: payments.length, paid },
    `${marked('✓', sentence)}\n  ${options.out}`,
  );
}

const reclaimed = (window: bigint): Failure =>
  new Failure(
    'run-reclaimed',
    `Pay run ${window} was reclaimed from a lost execution layer, and has no payslips. payout bank camt053 has what it paid in all.`,
  );

/** Writes a month's statement into a new folder, as CSV and PDF. */
export async function writeMonth(folder: string, statement: MonthStatement): Promise<void> {
  await makeFolder(folder);
  await writeFile(join(folder, `${statement.month}.csv`), monthCsv(statement), OWNER_ONLY);
  await writeFile(join(folder, `${statement.month}.pdf`), await monthPdf(statement), OWNER_ONLY);
}
