import type { AmountStyle } from './amount.ts';

/** What a column of a payroll may be taken for. */
export type PayrollColumn = 'recipient' | 'amount' | 'delivery' | 'name' | 'label' | 'note' | 'token' | 'currency';

/** What can be wrong in a payroll file; the code is stable, for programs. */
export type PayrollProblemCode =
  | 'not-text'
  | 'not-csv'
  | 'not-workbook'
  | 'workbook-damaged'
  | 'workbook-encrypted'
  | 'workbook-macros'
  | 'workbook-old'
  | 'workbook-too-large'
  | 'payment-file-cheques'
  | 'payment-file-converted'
  | 'payment-file-count'
  | 'payment-file-currencies'
  | 'payment-file-damaged'
  | 'payment-file-days'
  | 'payment-file-encoding'
  | 'payment-file-entities'
  | 'payment-file-sum'
  | 'payment-file-too-large'
  | 'payment-file-unknown'
  | 'sheet-hidden'
  | 'sheet-unclear'
  | 'sheet-unknown'
  | 'row-hidden'
  | 'cell-date'
  | 'cell-formula'
  | 'cell-format'
  | 'cells-merged'
  | 'column-hidden'
  | 'column-missing'
  | 'column-unclear'
  | 'column-unknown'
  | 'column-unread'
  | 'fields-wrong'
  | 'no-recipients'
  | 'too-many-recipients'
  | 'recipient-missing'
  | 'recipient-invalid'
  | 'recipient-unsignable'
  | 'recipient-refused'
  | 'recipient-twice'
  | 'name-twice'
  | 'amount-missing'
  | 'amount-ambiguous'
  | 'amount-styles-mixed'
  | 'amount-invalid'
  | 'amount-negative'
  | 'amount-zero'
  | 'amount-decimals'
  | 'amount-inexact'
  | 'amount-rounded'
  | 'amount-too-large'
  | 'amount-unusual'
  | 'amount-currency'
  | 'amount-cut'
  | 'currency-invalid'
  | 'rate-invalid'
  | 'rate-missing'
  | 'rate-source'
  | 'rate-twice'
  | 'rate-unclear'
  | 'rate-unused'
  | 'token-missing'
  | 'token-unclear'
  | 'token-unknown'
  | 'total-too-large'
  | 'delivery-unknown';

/** What the reader of a file has to be told where the file leaves it open: an option of `readPayroll`, and what it may be. */
export type PayrollQuestion = PayrollChoice | RateQuestion;

/** One of several things. */
export type PayrollChoice =
  | { readonly option: 'style'; readonly choices: readonly AmountStyle[] }
  | { readonly option: 'sheet'; readonly choices: readonly string[] }
  /** Headers of the columns that it may be. */
  | { readonly option: 'map'; readonly column: PayrollColumn; readonly choices: readonly string[] };

/** How many tokens 1 of a currency is. */
type RateQuestion = { readonly option: 'rate'; readonly currency: string };

/** Something wrong or doubtful in a payroll file. Neither code nor message has an address or an amount in it. */
export type PayrollProblem = {
  readonly code: PayrollProblemCode;
  /** Line of the file, or row of the sheet, from 1; undefined: the whole file. */
  readonly line?: number;
  /** Cell of a sheet, such as B7. */
  readonly cell?: string;
  /** What is wrong and what to do: whole sentences. */
  readonly message: string;
  /** What would solve it, if that is an answer alone. */
  readonly question?: PayrollQuestion;
};

/** A payroll file that can't be used: everything that is wrong in it, in order of lines. */
export class PayrollError extends Error {
  override readonly name = 'PayrollError';

  constructor(readonly problems: readonly PayrollProblem[]) {
    super(problems.map(problemText).join('\n'));
  }
}

/** "Line 12: The amount is missing." */
export function problemText({ line, cell, message }: PayrollProblem): string {
  if (cell !== undefined) return `Cell ${cell}: ${message}`;
  return line === undefined ? message : `Line ${line}: ${message}`;
}

/** A file that can't be read at all. */
export const unreadable = (code: PayrollProblemCode, message: string): PayrollError =>
  new PayrollError([{ code, message }]);
