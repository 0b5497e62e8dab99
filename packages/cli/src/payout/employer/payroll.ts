import { type EmployerSession, type OwnVault, ownVault, readToken, type TokenInfo, vaultsOf } from '@payouts/employer';
import {
  type AmountStyle,
  type ColumnMap,
  type Payroll,
  PayrollError,
  type PayrollProblem,
  problemText,
  readRates,
  type TokenPart,
  tokenParts,
} from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { type Command, Option } from 'commander';
import { readPayrollFile } from '../../payroll/payrollFile.ts';
import { progressBar } from '../bar.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { collected } from '../options.ts';

/** What a command takes that reads a payroll file. */
export type PayrollOptions = {
  readonly decimal?: AmountStyle;
  readonly map?: string;
  readonly sheet?: string;
  readonly rate?: readonly string[];
  readonly rateSource?: string;
};

/** Adds `--map`, `--sheet`, `--decimal`, `--rate` and `--rate-source`. */
export const withPayroll = (command: Command): Command =>
  command
    .option(
      '--map <columns>',
      'which column is what: recipient=COLUMN,amount=COLUMN (also name, delivery, token, currency)',
    )
    .option('--sheet <name>', 'which sheet of a workbook is the payroll, if it has several')
    .addOption(
      new Option('--decimal <sign>', 'how the file writes 1250.50, if it does not say').choices(['point', 'comma']),
    )
    .option(
      '--rate <rate>',
      'tokens for 1 of a currency that the file has: EUR=1.0834, or EUR/USDC=1.0834; again for each',
      collected,
    )
    .option('--rate-source <text>', 'where you have the rates from, for payslips: "ECB 2026-11-27"');

const COLUMN = /^(recipient|amount|delivery|name|token|currency)=(.+)$/s;
/** A header may have commas. */
const BETWEEN = /,(?=\s*(?:recipient|amount|delivery|name|token|currency)=)/;

/** What `--map` takes. Throws `WrongUsage`. */
export function mapOf(written: string | undefined): ColumnMap | undefined {
  if (written === undefined) return undefined;
  const pairs = written.split(BETWEEN).map((part) => {
    const [, column, header] = COLUMN.exec(part.trim()) ?? [];
    if (column === undefined || header === undefined) {
      throw new WrongUsage(
        '--map takes recipient=COLUMN,amount=COLUMN, and in the same way name, delivery, token and currency.',
      );
    }
    return [column, header] as const;
  });
  if (new Set(pairs.map(([column]) => column)).size < pairs.length) {
    throw new WrongUsage('--map takes each of recipient, amount, name, delivery, token and currency once.');
  }
  return Object.fromEntries(pairs);
}

/** Reads a payroll file in one of these tokens, or in several, with a bar while that takes time. Addresses that are nobody's wallet are refused. Throws `Failure`. */
export async function payrollOf(
  file: string,
  tokens: readonly [TokenInfo, ...TokenInfo[]],
  { decimal: style, map, sheet, rate = [], rateSource }: PayrollOptions,
  refused: ReadonlyMap<string, string> = new Map(),
): Promise<Payroll> {
  const columns = mapOf(map);
  const [{ decimals, name }] = tokens;
  const mints = tokens.map(({ mint }) => [mint, "the token's mint"] as const);
  const bar = progressBar('Reading the payroll');
  try {
    return await readingPayroll(file, () =>
      readPayrollFile(file, {
        decimals,
        ...(tokens.length === 1 && { token: name }),
        tokens,
        rates: readRates(rate, rateSource),
        style,
        map: columns,
        sheet,
        refused: new Map([...mints, ...refused]),
        onProgress: (part) => bar.at(part),
      }),
    );
  } finally {
    bar.end();
  }
}

/** What a payroll pays in each token, out of which vault. */
export type OwnPart = readonly [OwnVault, TokenPart];

/**
 * Reads a payroll file whose lines may name their tokens, each the one of a vault: all lines are of `token` where none does. Throws `Failure` vault-missing, and what
 * `payrollOf` throws.
 */
export async function payrollParts(
  file: string,
  session: EmployerSession,
  options: PayrollOptions & { readonly token?: Address },
): Promise<{ readonly parts: readonly OwnPart[]; readonly payroll: Payroll }> {
  const named = options.token === undefined ? [] : [await ownVault(session, options.token)];
  const read = async (owns: readonly OwnVault[]) => {
    const [first, ...others] = owns.map(({ token }) => token);
    if (first === undefined)
      throw new Failure('vault-missing', 'You have no vault yet. Open one first: payout vault init.');
    const vaults = new Map(owns.map(({ vault }) => [vault.address as string, 'your vault']));
    const payroll = await payrollOf(file, [first, ...others], options, vaults);
    const ownOf = (mint: Address) => owns.find(({ token }) => token.mint === mint) as OwnVault;
    return { payroll, parts: tokenParts(payroll).map((part) => [ownOf(part.token), part] as const) };
  };
  if (named.length === 0) return read(await allVaults(session));
  return read(named).catch(async (error: unknown) => {
    if (!namesOthers(error)) throw error;
    return read(await allVaults(session));
  });
}

/** Whether a payroll is of further tokens than the one that it was read for. */
const namesOthers = (error: unknown): boolean =>
  error instanceof Failure &&
  error.cause instanceof PayrollError &&
  error.cause.problems.some(({ code }) => code === 'token-unknown');

async function allVaults(session: EmployerSession): Promise<OwnVault[]> {
  const { ledgers, employer } = session;
  const vaults = await vaultsOf(ledgers, employer.address);
  return Promise.all(vaults.map(async (vault) => ({ ...session, vault, token: await readToken(ledgers, vault.mint) })));
}

/** Reads something of a payroll file, and says what is wrong with it. Throws `Failure`; its code is a payment file's own where that is refused as a whole. */
export async function readingPayroll<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof PayrollError) {
      const [code = ''] = cause.problems.map((problem) => problem.code);
      const isRefused = code.startsWith('payment-file-') || code.startsWith('rate-');
      throw new Failure(isRefused ? code : 'payroll-faulty', cause.problems.map(faultText).join('\n'), { cause });
    }
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new Failure('payroll-missing', `There is no file ${file}.`);
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
  if (question.option === 'rate') {
    const { currency } = question;
    return `Pass --rate ${currency}=RATE: how many tokens 1 ${currency} is.`;
  }
  const choices = question.choices.map((choice) => `“${choice.replaceAll(/\p{C}+/gu, ' ')}”`).join(', ');
  const among = choices === '' ? '' : ` It has ${choices}.`;
  return question.option === 'sheet' ? `Pass --sheet.${among}` : `Pass --map ${question.column}=COLUMN.${among}`;
}
