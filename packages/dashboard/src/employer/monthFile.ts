import { camt053, currencyOf, journalOf } from '@payouts/bank-files';
import { Failure, type OwnVault } from '@payouts/employer';
import { closingOf, monthOf, periodOf, readVaultHistory } from '@payouts/statements';

type MonthWish = {
  readonly form: 'camt053' | 'quickbooks' | 'xero';
  /** Such as 2026-11. */
  readonly month: string;
  /** Empty: that of a token that is known. */
  readonly currency: string;
  readonly debit: string;
  readonly credit: string;
  readonly taxRate: string;
};

type MonthFile = {
  readonly name: string;
  readonly text: string;
  readonly type: string;
  /** What it comes to; amounts are written by `text`. */
  readonly sentence: (text: (amount: bigint) => string) => string;
};

/** A vault's month as a file for the books, by the base ledger. Throws `Failure` month-invalid, `BankFileError` and `HistoryError`. */
export async function monthFile(
  { ledgers, vault, token: { mint, decimals } }: OwnVault,
  { form, month, currency, debit, credit, taxRate }: MonthWish,
  createdAt: number,
): Promise<MonthFile> {
  const period = monthOf(month);
  if (period === undefined) throw new Failure('month-invalid', 'It is not a month such as 2026-11.');
  const token = { currency: currencyOf(mint, currency.trim() || undefined), decimals };
  const found = periodOf(await readVaultHistory(vault.address, ledgers.base), period);
  const { opening, movements } = found;
  if (form === 'camt053') {
    const account = { createdAt, vault: vault.address, owner: '', token, period, opening };
    return {
      name: `${month}-camt053.xml`,
      text: camt053({ ...account, entries: movements }),
      type: 'application/xml',
      sentence: (text) => `from ${text(opening)} to ${text(closingOf(found))}, as on the ledger.`,
    };
  }
  const accounts = { debit: debit.trim(), credit: credit.trim(), taxRate: taxRate.trim() || undefined };
  const journal = journalOf(movements, { program: form, ...accounts }, token);
  return {
    name: `${month}-journal-${form}.csv`,
    text: journal.text,
    type: 'text/csv',
    sentence: (text) =>
      `${text(journal.paid)} were paid in ${journal.runs === 1 ? '1 pay run' : `${journal.runs} pay runs`}.`,
  };
}
