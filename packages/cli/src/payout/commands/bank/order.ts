import { pain001 } from '@payouts/bank-files';
import { findVaultAddress } from '@payouts/client';
import { readToken } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError } from 'commander';
import { type PayrollOptions, payrollOf, withPayroll } from '../../employer/payroll.ts';
import { openEmployer } from '../../ledgerChange.ts';
import { addressOption, type KeyOptions, withJson, withKey } from '../../options.ts';
import { type LedgerOptions, withLedger } from '../../rpc.ts';
import { type BankFileOptions, bankToken, withBankFile, writeBankFile } from './parts.ts';

type OrderOptions = KeyOptions &
  LedgerOptions &
  PayrollOptions &
  BankFileOptions & { readonly token: Address; readonly company?: string; readonly day?: string };

/** Digits of a payment's number, at least. */
const DIGITS = 5;

/** payout bank pain001 */
export function addOrder(bank: Command): void {
  withPayroll(withBankFile(withLedger(withJson(withKey(bank.command('pain001 <payroll>'))))))
    .description('Write a payroll as a payment file (pain.001), as payroll programs do')
    .requiredOption('--token <mint>', "the token's mint", addressOption)
    .option('--company <name>', 'who pays, by name')
    .option('--day <date>', 'when it is to be paid, such as 2026-11-30; today, if left out', dayOption)
    .action(order);
}

function dayOption(written: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(written) && !Number.isNaN(Date.parse(written))) return written;
  throw new InvalidArgumentError('It is not a day such as 2026-11-30.');
}

async function order(file: string, options: OrderOptions): Promise<void> {
  const { employer, ledgers } = await openEmployer(options);
  const token = await readToken(ledgers, options.token);
  const written = bankToken(token, options);
  const { lines, names, total } = await payrollOf(file, [token], options);
  const vault = await findVaultAddress(employer.address, token.mint);
  const createdAt = options.time.now();
  const { day = new Date(createdAt).toISOString().slice(0, 10), company = employer.address } = options;
  const payments = lines.map(({ recipient, amount }, place) => ({
    recipient,
    amount,
    endToEndId: `${day}-${String(place + 1).padStart(DIGITS, '0')}`,
    name: names.get(recipient),
  }));
  const messageId = `${vault.slice(0, 12)}-${createdAt}`;
  const text = pain001({ messageId, createdAt, day, payer: company, vault, token: written, payments });
  const what = payments.length === 1 ? '1 payment' : `${payments.length} payments`;
  await writeBankFile(options, text, { payments: payments.length, total }, `A payment file of ${what}.`);
}
