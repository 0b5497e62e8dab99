import type { TokenInfo } from '@payouts/employer';
import {
  type AmountStyle,
  type ColumnMap,
  type Payroll,
  PayrollError,
  type PayrollProblem,
  problemText,
} from '@payouts/payroll';
import { type Command, Option } from 'commander';
import { readPayrollFile } from '../../payroll/payrollFile.ts';
import { progressBar } from '../bar.ts';
import { Failure, WrongUsage } from '../failure.ts';

/** What a command takes that reads a payroll file. */
export type PayrollOptions = { readonly decimal?: AmountStyle; readonly map?: string; readonly sheet?: string };

/** Adds `--map`, `--sheet` and `--decimal`. */
export const withPayroll = (command: Command): Command =>
  command
    .option('--map <columns>', 'which column is what: recipient=COLUMN,amount=COLUMN (also name, delivery)')
    .option('--sheet <name>', 'which sheet of a workbook is the payroll, if it has several')
    .addOption(
      new Option('--decimal <sign>', 'how the file writes 1250.50, if it does not say').choices(['point', 'comma']),
    );

const COLUMN = /^(recipient|amount|delivery|name)=(.+)$/s;
/** A header may have commas. */
const BETWEEN = /,(?=\s*(?:recipient|amount|delivery|name)=)/;

/** What `--map` takes. Throws `WrongUsage`. */
export function mapOf(written: string | undefined): ColumnMap | undefined {
  if (written === undefined) return undefined;
  const pairs = written.split(BETWEEN).map((part) => {
    const [, column, header] = COLUMN.exec(part.trim()) ?? [];
    if (column === undefined || header === undefined) {
      throw new WrongUsage('--map takes recipient=COLUMN,amount=COLUMN, and in the same way name and delivery.');
    }
    return [column, header] as const;
  });
  if (new Set(pairs.map(([column]) => column)).size < pairs.length) {
    throw new WrongUsage('--map takes each of recipient, amount, name and delivery once.');
  }
  return Object.fromEntries(pairs);
}

/** Reads a payroll file, with a bar while that takes time. Addresses that are nobody's wallet are refused. Throws `Failure`. */
export async function payrollOf(
  file: string,
  token: TokenInfo,
  { decimal: style, map, sheet }: PayrollOptions,
  refused: ReadonlyMap<string, string> = new Map(),
): Promise<Payroll> {
  const columns = mapOf(map);
  const bar = progressBar('Reading the payroll');
  try {
    return await readPayrollFile(file, {
      decimals: token.decimals,
      token: token.name,
      style,
      map: columns,
      sheet,
      refused: new Map([[token.mint, "the token's mint"], ...refused]),
      onProgress: (part) => bar.at(part),
    });
  } catch (cause) {
    if (cause instanceof PayrollError) {
      throw new Failure('payroll-faulty', cause.problems.map(faultText).join('\n'), { cause });
    }
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new Failure('payroll-missing', `There is no file ${file}.`);
  } finally {
    bar.end();
  }
}

/** What is wrong, and by which option to answer what it asks. */
function faultText(problem: PayrollProblem): string {
  const { question } = problem;
  if (question === undefined) return problemText(problem);
  return `${problemText(problem)} ${answerText(question)}`;
}

function answerText(question: NonNullable<PayrollProblem['question']>): string {
  if (question.option === 'style') {
    return 'Pass --decimal point if 1,250 is one thousand two hundred and fifty, --decimal comma if 1.250 is.';
  }
  const choices = question.choices.map((choice) => `“${choice.replaceAll(/\p{C}+/gu, ' ')}”`).join(', ');
  const among = choices === '' ? '' : ` It has ${choices}.`;
  return question.option === 'sheet' ? `Pass --sheet.${among}` : `Pass --map ${question.column}=COLUMN.${among}`;
}
