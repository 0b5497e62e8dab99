import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { MAX_LEAVES, MAX_U64 } from '@payouts/client';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';
import { type LineRules, type PayrollLine, readLine } from './line.ts';
import { PayrollError, type PayrollProblem } from './problems.ts';

/** A payroll file whose lines can all be paid. */
export type Payroll = {
  readonly lines: readonly PayrollLine[];
  /** Base units. */
  readonly total: bigint;
  /** What is not wrong but worth a look, in order of lines. */
  readonly doubts: readonly PayrollProblem[];
};

export type ReadPayrollOptions = LineRules & {
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
const PROGRESS_EVERY_BYTES = 262_144;

const STRUCTURE: Partial<Record<CsvErrorCode, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quotation mark is opened and never closed.',
  INVALID_OPENING_QUOTE:
    'A quotation mark stands in the middle of a field. Put the whole field between quotation marks.',
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
  for await (const { record, line } of rowsOf(file, onProgress)) {
    if (problems.length >= MOST_PROBLEMS) break;
    if (columns === undefined) {
      width = record.length;
      columns = readHeader(record, line);
      continue;
    }
    if (record.length !== width) {
      const message = `The line has ${record.length} fields, the first line names ${width}. A comma in a field needs quotation marks around it.`;
      problems.push({ code: 'fields-wrong', line, message });
      continue;
    }
    const field = (name: Column) => record[columns?.get(name) ?? -1] ?? '';
    const fields = { recipient: field('recipient'), amount: field('amount'), delivery: field('delivery') };
    const read = readLine(line, fields, options);
    if (Array.isArray(read)) {
      problems.push(...read);
      continue;
    }
    lines.push(read);
    total += read.amount;
  }
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

type Row = { readonly record: readonly string[]; readonly line: number };

/** The rows that are not empty, each with the line that it begins in. */
async function* rowsOf(file: string, onProgress: ReadPayrollOptions['onProgress']): AsyncGenerator<Row> {
  const { size } = await stat(file);
  const source = createReadStream(file);
  const parser = parse({
    bom: true,
    delimiter: [',', ';', '\t'],
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let read = 0;
  let said = 0;
  source.on('data', (bytes) => {
    read += bytes.length;
    try {
      decoder.decode(bytes as Buffer, { stream: true });
    } catch {
      source.destroy(
        new PayrollError([
          { code: 'not-text', message: 'The payroll is not text in UTF-8. Save it as "CSV UTF-8" and try again.' },
        ]),
      );
      return;
    }
    if (read - said < PROGRESS_EVERY_BYTES) return;
    said = read;
    onProgress?.(read / size);
  });
  source.on('error', (error) => parser.destroy(error));
  let line = 1;
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      line = info.lines;
      if (record.some((field) => field.trim() !== '')) yield { record, line };
    }
    onProgress?.(1);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = STRUCTURE[error.code] ?? `The line is not valid CSV (${error.code}).`;
    throw new PayrollError([{ code: 'not-csv', line: Number(error.lines ?? line), message }]);
  } finally {
    source.destroy();
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
      const message = `The recipient stands in line ${before} already and would be paid both amounts.`;
      doubts.push({ code: 'recipient-twice', line, message });
    }
  }
  return doubts;
}
