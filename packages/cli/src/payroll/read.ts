import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { MAX_LEAVES, MAX_U64 } from '@payouts/client';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';
import { type LineRules, type PayrollLine, readLine, unsignableProblem } from './line.ts';
import { PayrollError, type PayrollProblem } from './problems.ts';
import { WalletCheck } from './wallets.ts';

/** A payroll file whose lines can all be paid. */
export type Payroll = {
  readonly lines: readonly PayrollLine[];
  /** Base units. */
  readonly total: bigint;
  /** What is not wrong but worth a look, in order of lines. */
  readonly doubts: readonly PayrollProblem[];
};

export type ReadPayrollOptions = Omit<LineRules, 'onRecipient'> & {
  /** Recipients that a schedule may have: the ledger's limit, at most 80,000 or so. */
  readonly maxRecipients?: number;
  /** Called now and then with the part of the file that is read, 0 to 1. */
  readonly onProgress?: (part: number) => void;
};

const COLUMNS = ['recipient', 'amount', 'delivery'] as const;
type Column = (typeof COLUMNS)[number];
/** Columns that are the employer's own: they are not read and leave this machine never. */
const OWN_COLUMNS = ['name', 'reference', 'note', 'email'];
/** A file that is wrong throughout needs no list of a million lines. */
const MOST_PROBLEMS = 1_000;
const PIECE_BYTES = 262_144;

const STRUCTURE: Partial<Record<CsvErrorCode, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quotation mark is opened and never closed.',
  INVALID_OPENING_QUOTE: 'A quotation mark is in the middle of a field. Put the whole field between quotation marks.',
  CSV_INVALID_CLOSING_QUOTE: 'Something follows a closing quotation mark. Write quotation marks within a field twice.',
};

/**
 * Reads a payroll: CSV (comma, semicolon or tab) in UTF-8, whose first line names the columns `recipient`, `amount` and, if wanted,
 * `delivery`; columns `name`, `reference`, `note` and `email` are the employer's own and are passed over.
 *
 * @throws PayrollError with everything that is wrong, line by line
 */
export async function readPayroll(file: string, options: ReadPayrollOptions): Promise<Payroll> {
  const { maxRecipients = MAX_LEAVES, onProgress } = options;
  const problems: PayrollProblem[] = [];
  const lines: PayrollLine[] = [];
  let columns: Map<Column, number> | undefined;
  let width = 0;
  let total = 0n;
  const wallets = new WalletCheck();
  const rules = { ...options, onRecipient: (line: number, address: Uint8Array) => wallets.add(line, address) };
  const take = (record: readonly string[], line: number): boolean => {
    if (columns === undefined) {
      width = record.length;
      columns = readHeader(record, line);
      return true;
    }
    if (record.length !== width) {
      const message = `The line has ${record.length} fields, the first line names ${width}. A comma in a field needs quotation marks around it.`;
      problems.push({ code: 'fields-wrong', line, message });
    } else {
      const field = (name: Column) => record[columns?.get(name) ?? -1] ?? '';
      const fields = { recipient: field('recipient'), amount: field('amount'), delivery: field('delivery') };
      const read = readLine(line, fields, rules);
      if (Array.isArray(read)) problems.push(...read);
      else {
        lines.push(read);
        total += read.amount;
      }
    }
    return problems.length < MOST_PROBLEMS;
  };
  try {
    await eachRow(file, onProgress, take);
    problems.unshift(...(await wallets.lines()).map(unsignableProblem));
  } finally {
    await wallets.end();
  }
  problems.sort((one, other) => (one.line as number) - (other.line as number)).splice(MOST_PROBLEMS);
  if (columns === undefined || (lines.length === 0 && problems.length === 0)) {
    problems.push({
      code: 'no-recipients',
      message: 'The payroll has no recipients: a line for each after the first.',
    });
  }
  if (lines.length > maxRecipients) {
    const message = `The payroll has ${lines.length} recipients, a schedule takes ${maxRecipients}. Split it into several.`;
    problems.push({ code: 'too-many-recipients', message });
  }
  if (total > MAX_U64) {
    problems.push({ code: 'total-too-large', message: "The payroll's total is larger than a ledger can hold." });
  }
  if (problems.length > 0) throw new PayrollError(problems);
  return { lines, total, doubts: twice(lines) };
}

/**
 * Calls `take` with each row that is not empty and the line that it begins in, until it returns false. Lines are counted here: the
 * parser's own account of each record takes a third of its time.
 */
async function eachRow(
  file: string,
  onProgress: ReadPayrollOptions['onProgress'],
  take: (record: readonly string[], line: number) => boolean,
): Promise<void> {
  const { size } = await stat(file);
  const parser = parse({ bom: true, delimiter: [',', ';', '\t'], relax_column_count: true });
  let line = 1;
  let isWanted = true;
  let thrown: { readonly error: unknown } | undefined;
  parser.on('data', (record: string[]) => {
    const begins = line;
    line += 1;
    let isEmpty = true;
    for (const field of record) {
      if (field.includes('\n')) line += field.split('\n').length - 1;
      isEmpty &&= field.trim() === '';
    }
    if (isEmpty || !isWanted) return;
    try {
      isWanted = take(record, begins);
    } catch (error) {
      isWanted = false;
      thrown = { error };
    }
  });
  const ended = once(parser, 'end');
  // Looked at once all is written; until then it is nobody's error.
  ended.catch(() => {});
  try {
    for await (const { bytes, read } of textOf(file)) {
      if (!parser.write(bytes)) await once(parser, 'drain');
      if (!isWanted || parser.destroyed) break;
      onProgress?.(read / size);
    }
    if (thrown !== undefined) throw thrown.error;
    if (!isWanted) return;
    parser.end();
    await ended;
    onProgress?.(1);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = STRUCTURE[error.code] ?? `The line is not valid CSV (${error.code}).`;
    throw new PayrollError([{ code: 'not-csv', line: Number(error.lines ?? line), message }]);
  } finally {
    parser.destroy();
  }
}

/** The bytes of a file piece by piece, with how many are read. Throws `PayrollError` not-text. */
async function* textOf(file: string): AsyncGenerator<{ readonly bytes: Buffer; readonly read: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let read = 0;
  for await (const bytes of createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    read += bytes.length;
    try {
      decoder.decode(bytes, { stream: true });
    } catch {
      throw new PayrollError([
        { code: 'not-text', message: 'The payroll is not text in UTF-8. Save it as "CSV UTF-8" and try again.' },
      ]);
    }
    yield { bytes, read };
  }
}

function readHeader(record: readonly string[], line: number): Map<Column, number> {
  const problems: PayrollProblem[] = [];
  const columns = new Map<Column, number>();
  for (const [place, written] of record.entries()) {
    const name = written.trim().toLowerCase();
    const column = COLUMNS.find((each) => each === name);
    if (column === undefined) {
      if (OWN_COLUMNS.includes(name)) continue;
      const known = [...COLUMNS, ...OWN_COLUMNS].join(', ');
      problems.push({ code: 'column-unknown', line, message: `Column ${place + 1} is none of ${known}.` });
    } else if (columns.has(column)) {
      problems.push({ code: 'column-twice', line, message: `The column ${column} is named twice.` });
    } else columns.set(column, place);
  }
  for (const name of ['recipient', 'amount'] as const) {
    if (columns.has(name)) continue;
    problems.push({ code: 'column-missing', line, message: `The first line names no column ${name}.` });
  }
  if (problems.length > 0) throw new PayrollError(problems);
  return columns;
}

function twice(lines: readonly PayrollLine[]): PayrollProblem[] {
  const first = new Map<string, number>();
  const doubts: PayrollProblem[] = [];
  for (const { recipient, line } of lines) {
    const before = first.get(recipient);
    if (before === undefined) first.set(recipient, line);
    else {
      const message = `The recipient is in line ${before} already and would be paid both amounts.`;
      doubts.push({ code: 'recipient-twice', line, message });
    }
  }
  return doubts;
}
