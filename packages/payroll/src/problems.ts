/** What can be wrong in a payroll file; the code is stable, for programs. */
export type PayrollProblemCode =
  | 'not-text'
  | 'not-csv'
  | 'column-missing'
  | 'column-unknown'
  | 'column-twice'
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
  | 'amount-too-large'
  | 'amount-unusual'
  | 'amount-cut'
  | 'total-too-large'
  | 'delivery-unknown';

/** Something wrong or doubtful in a payroll file. Neither part has an address or an amount in it. */
export type PayrollProblem = {
  readonly code: PayrollProblemCode;
  /** Line of the file, from 1; undefined: the whole file. */
  readonly line?: number;
  /** What is wrong and what to do: whole sentences. */
  readonly message: string;
};

/** A payroll file that can't be used: everything that is wrong in it, in order of lines. */
export class PayrollError extends Error {
  override readonly name = 'PayrollError';

  constructor(readonly problems: readonly PayrollProblem[]) {
    super(problems.map(problemText).join('\n'));
  }
}

/** "Line 12: The amount is missing." */
export function problemText({ line, message }: PayrollProblem): string {
  return line === undefined ? message : `Line ${line}: ${message}`;
}
