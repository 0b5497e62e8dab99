import type { VaultMovement } from '@payouts/statements';
import Papa from 'papaparse';
import { BankFileError, type BankToken, decimalAmount, sumOf } from './amounts.ts';
import { runId } from './entry.ts';
import { isoDay } from './xml.ts';

/** Where a pay run is booked, by the accounts' names or codes in the books: wages are debited, what the vault is there is credited. */
export type JournalAccounts = { readonly debit: string; readonly credit: string };

/** What journals have behind the point. */
const CENTS = 2;
/** https://help.xero.com/nz/ManualJournalsImport: "up to 300 lines in one template file". */
const XERO_LINES = 300;

type Row = Readonly<Record<string, string>>;
type Booked = { readonly id: string; readonly at: number; readonly what: string; readonly amount: string };

/** The pay runs among a vault's entries. */
const runsOf = (entries: readonly VaultMovement[], { decimals }: BankToken): Booked[] =>
  entries.flatMap(({ run, at, amount }) =>
    run === undefined
      ? []
      : [
          {
            id: runId(run),
            at,
            what: `Pay run ${run.window} of payroll ${run.schedule}`,
            amount: decimalAmount(amount, decimals, CENTS),
          },
        ],
  );

/** Nothing that begins like a formula is one, but an amount that is credited. */
const FORMULA = /^(?:[=+@\t\r]|-(?!\d+\.\d+$))/;

const csv = (fields: readonly string[], data: readonly Row[]): string =>
  `${Papa.unparse({ fields: [...fields], data: [...data] }, { newline: '\n', escapeFormulae: FORMULA })}\n`;

/**
 * Pay runs in the columns that QuickBooks Online imports journal entries by:
 * https://quickbooks.intuit.com/learn-support/en-au/help-article/import-export-files/import-journal-entries-quickbooks-online/L4tQBwbs7_AU_en_AU
 */
export function quickBooksJournal(
  entries: readonly VaultMovement[],
  accounts: JournalAccounts,
  token: BankToken,
): string {
  const columns = ['Journal No.', 'Journal Date', 'Account Name', 'Debits', 'Credits', 'Description'] as const;
  const rows = runsOf(entries, token).flatMap(({ id, at, what, amount }): Row[] => {
    const [year, month, day] = isoDay(at).split('-');
    const shared = { 'Journal No.': id, 'Journal Date': `${month}/${day}/${year}`, Description: what };
    return [
      { ...shared, 'Account Name': accounts.debit, Debits: amount },
      { ...shared, 'Account Name': accounts.credit, Credits: amount },
    ];
  });
  return csv(columns, rows);
}

/** Pay runs in the columns of Xero's template for manual journals: https://help.xero.com/nz/ManualJournalsImport */
export function xeroJournal(
  entries: readonly VaultMovement[],
  accounts: JournalAccounts & { readonly taxRate: string },
  token: BankToken,
): string {
  const columns = ['*Narration', '*Date', 'Description', '*AccountCode', '*TaxRate', '*Amount'] as const;
  const rows = runsOf(entries, token).flatMap(({ id, at, what, amount }): Row[] => {
    const [year, month, day] = isoDay(at).split('-');
    const shared = {
      '*Narration': id,
      '*Date': `${day}/${month}/${year}`,
      Description: what,
      '*TaxRate': accounts.taxRate,
    };
    return [
      { ...shared, '*AccountCode': accounts.debit, '*Amount': amount },
      { ...shared, '*AccountCode': accounts.credit, '*Amount': `-${amount}` },
    ];
  });
  if (rows.length > XERO_LINES) {
    throw new BankFileError(
      'journal-too-long',
      `Xero imports ${XERO_LINES} lines at a time, and the journal has ${rows.length}.`,
    );
  }
  return csv(columns, rows);
}

/** Which program imports a journal, and where it books what. */
export type JournalWish = JournalAccounts & {
  readonly program: 'quickbooks' | 'xero';
  /** Of wages, for Xero. */
  readonly taxRate?: string | undefined;
};

/** Pay runs among a vault's entries as a journal, and what they come to. Throws `BankFileError`: nothing-paid or tax-rate-missing, too. */
export function journalOf(
  entries: readonly VaultMovement[],
  { program, taxRate, ...accounts }: JournalWish,
  token: BankToken,
): { readonly text: string; readonly runs: number; readonly paid: bigint } {
  const runs = entries.filter(({ run }) => run !== undefined);
  if (runs.length === 0) throw new BankFileError('nothing-paid', 'No pay run of the month has paid anybody.');
  const [count, paid] = [runs.length, sumOf(runs)];
  if (program === 'quickbooks') return { text: quickBooksJournal(runs, accounts, token), runs: count, paid };
  if (taxRate === undefined) {
    throw new BankFileError(
      'tax-rate-missing',
      'Xero wants a tax rate: name the one that wages have there (--tax-rate).',
    );
  }
  return { text: xeroJournal(runs, { ...accounts, taxRate }, token), runs: count, paid };
}
