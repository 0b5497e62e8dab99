import type { AmountStyle } from './amount.ts';
import type { ColumnMap } from './columns.ts';
import type { LineRules } from './line.ts';
import type { PayrollToken } from './money.ts';
import type { PayRate } from './rate.ts';
import type { WalletThread } from './wallets.ts';

/** How a payroll is read. */
export type ReadPayrollOptions = Omit<LineRules, 'onRecipient' | 'style' | 'mint' | 'rate'> & {
  /** What the token is called: a header that names another currency is asked about. */
  readonly token?: string | undefined;
  /** What its column of tokens may name; without, it has no such column, and all lines are of the one token. */
  readonly tokens?: readonly PayrollToken[] | undefined;
  /** At which amounts in a currency are converted, by its column of currencies or by what the amounts' header names. */
  readonly rates?: readonly PayRate[] | undefined;
  /** How amounts are written; told from the file where it is not given. */
  readonly style?: AmountStyle | undefined;
  /** Which column is what, where the headers don't say. */
  readonly map?: ColumnMap | undefined;
  /** Name of the sheet that is the payroll, of a workbook with several. */
  readonly sheet?: string | undefined;
  /** Recipients that a schedule may have: the ledger's limit, at most 80,000 or so. */
  readonly maxRecipients?: number;
  /** Called now and then with the part of the file that is read, 0 to 1. */
  readonly onProgress?: (part: number) => void;
  /** Starts a thread that checks recipients while lines are read; without it they are checked in this one. */
  readonly startThread?: () => WalletThread;
};
