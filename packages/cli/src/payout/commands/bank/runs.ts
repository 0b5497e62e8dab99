import { type BankPayment, camt054, type ListedEntry, outcomesOf, pain002 } from '@payouts/bank-files';
import type { Recipient, SignedWindow } from '@payouts/client';
import { type PaymentFile, readAmount } from '@payouts/payroll';
import type { StatementPayment } from '@payouts/statements';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import type { ProvenRun } from '../../../provenRuns.ts';
import { type BookOptions, withBook } from '../../employer/book.ts';
import { presentList } from '../../employer/lists.ts';
import { Failure } from '../../failure.ts';
import { loadKeypair } from '../../keypair.ts';
import { type CommonOptions, SCHEDULE, windowOption, withCommon } from '../../options.ts';
import {
  type BankFileOptions,
  bankToken,
  namesOf,
  paymentFileOf,
  runOf,
  withBankFile,
  writeBankFile,
} from './parts.ts';

type RunOptions = CommonOptions & BankFileOptions;

/** payout bank pain002|camt054 */
export function addRunFiles(bank: Command): void {
  const ofRun = (name: string) =>
    withBankFile(withCommon(bank.command(name)))
      .argument(...SCHEDULE)
      .argument('<window>', 'number of the pay run', windowOption);
  withBook(ofRun('pain002'))
    .description('Write which payments of a payment file a settled pay run has made (pain.002)')
    .requiredOption('--payments <file>', 'the payment file (pain.001) that the payroll was made from')
    .action(statuses);
  ofRun('camt054')
    .description('Write what a settled pay run has paid to whom (camt.054)')
    .option('--payments <file>', 'the payment file (pain.001) it was made from, for names and references')
    .option('--names <file>', 'a payroll that has names')
    .action(notification);
}

type StatusOptions = RunOptions & BookOptions & { readonly payments: string };

async function statuses(schedule: Address, window: bigint, options: StatusOptions): Promise<void> {
  const original = await paymentFileOf(options.payments);
  const run = await runOf(schedule, window, options);
  const { settled } = run;
  const token = bankToken(settled, options);
  const outcomes = outcomesOf(original, await entriesOf(run, options), settled.decimals);
  const createdAt = options.time.now();
  const messageId = `${schedule.slice(0, 12)}-${window}-${createdAt}`;
  const text = pain002({ messageId, createdAt, token, original, outcomes });
  const paid = outcomes.filter(({ state }) => state === 'paid').length;
  const found = { payments: outcomes.length, paid };
  await writeBankFile(options, text, found, `${paid} of ${outcomes.length} payments were made.`);
}

/** The whole list that a pay run was to pay, and what became of each entry. Throws `Failure` list-missing if that is not known. */
async function entriesOf({ settled, payments }: ProvenRun, options: StatusOptions): Promise<ListedEntry[]> {
  const paid = new Map(payments.map((payment) => [payment.index, payment]));
  const whole = paid.size === settled.recipients ? payments : await listOf(settled, options);
  const held = new Set(settled.held);
  return whole.map(({ index, recipient, amount }) => {
    const payslip = paid.get(index)?.reference;
    if (payslip !== undefined) return { recipient, amount, state: 'paid', payslip };
    return { recipient, amount, state: held.has(index) ? 'held' : 'unpaid' };
  });
}

async function listOf(
  { schedule, root }: SignedWindow,
  options: StatusOptions,
): Promise<readonly Pick<Recipient, 'index' | 'recipient' | 'amount'>[]> {
  const signer = await loadKeypair(options.keypair);
  const list = await presentList(options, schedule, { root }, signer).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'list-replaced') return undefined;
    throw error;
  });
  if (list !== undefined) return list.recipients;
  throw new Failure(
    'list-missing',
    'Who was not paid is not known: the list that the pay run was to pay was replaced since, and is not in your book. Name the book that has it by --book.',
  );
}

async function notification(
  schedule: Address,
  window: bigint,
  options: RunOptions & { readonly payments?: string; readonly names?: string },
): Promise<void> {
  const original = options.payments === undefined ? undefined : await paymentFileOf(options.payments);
  const names = await namesOf(options.names);
  const { settled, payments: made } = await runOf(schedule, window, options);
  if (made.length === 0)
    throw new Failure('nothing-paid', `Pay run ${window} paid nobody: there is nothing to report.`);
  const payments = bankPayments(made, original, names);
  const { vault, paid: amount, paidCount, settledAt: at, settlement } = settled;
  const text = camt054({
    createdAt: options.time.now(),
    vault,
    token: bankToken(settled, options),
    entry: { isCredit: false, amount, at, signature: settlement.signature, run: { schedule, window, paidCount } },
    payments,
  });
  await writeBankFile(
    options,
    text,
    { payments: payments.length, paid: amount },
    `${payments.length} payments were made.`,
  );
}

/** What was paid, as the payment file calls it where there is one, else as payslips are called. */
function bankPayments(
  made: readonly StatementPayment[],
  original: PaymentFile | undefined,
  names: ReadonlyMap<string, string>,
): BankPayment[] {
  const ordered = new Map<string, PaymentFile['payments'][number][]>();
  const decimals = made[0]?.decimals ?? 0;
  for (const payment of original?.payments ?? []) {
    const key = `${payment.recipient} ${readAmount(payment.amount, decimals)}`;
    const same = ordered.get(key);
    if (same === undefined) ordered.set(key, [payment]);
    else same.push(payment);
  }
  return made.map(({ recipient, amount, reference }) => {
    const payment = ordered.get(`${recipient} ${amount}`)?.shift();
    return {
      recipient,
      amount,
      endToEndId: payment?.endToEndId || reference,
      name: payment?.name || names.get(recipient),
      reference: payment?.reference,
    };
  });
}
