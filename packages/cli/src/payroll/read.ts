import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { MAX_LEAVES, MAX_U64 } from '@payouts/client';
import type { Address } from '@solana/kit';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';
import { type AmountStyle, styleOf } from './amount.ts';
import { dialectOf, withoutEmptyEnd } from './dialect.ts';
import { type DoubtedLine, doubtsOf } from './doubts.ts';
import { type LineRules, type PayrollLine, readLine, unsignableProblem } from './line.ts';
import { PayrollError, type PayrollProblem } from './problems.ts';
import { WalletCheck } from './wallets.ts';

/** A payroll file whose lines can all be paid. */
export type Payroll = {
  readonly lines: readonly PayrollLine[];
  /** Names of recipients, as the file has them; of those without one, none. */
  readonly names: ReadonlyMap<Address, string>;
  /** Base units. */
  readonly total: bigint;
  /** What is not wrong but worth a look, in order of lines. */
  readonly doubts: readonly PayrollProblem[];
};

export type ReadPayrollOptions = Omit<LineRules, 'onRecipient' | 'style'> & {
  /** How amounts are written; told from the file where it is not given. */
  readonly style?: AmountStyle | undefined;
  /** Recipients that a schedule may have: the ledger's limit, at most 80,000 or so. */
  readonly maxRecipients?: number;
  /** Called now and then with the part of the file that is read, 0 to 1. */
  readonly onProgress?: (part: number) => void;
};

const COLUMNS = ['recipient', 'amount', 'delivery'] as const;
type Column = (typeof COLUMNS)[number];
/** Places of columns by their names. */
type Columns = ReadonlyMap<Column | 'name', number>;
/** Columns that are the employer's own: they never leave this machine. */
const OWN_COLUMNS = ['name', 'reference', 'note', 'email'];
/** A file that is wrong throughout needs no list of a million lines. */
const MOST_PROBLEMS = 1_000;
const PIECE_BYTES = 262_144;
/** What surely holds the first line. */
const HEADER_BYTES = 4_096;

const STRUCTURE: Partial<Record<CsvErrorCode, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quotation mark is opened and never closed.',
  INVALID_OPENING_QUOTE: 'A quotation mark is in the middle of a field. Put the whole field between quotation marks.',
  CSV_INVALID_CLOSING_QUOTE: 'Something follows a closing quotation mark. Write quotation marks within a field twice.',
};

/** A line's fields as they are written. */
type Row = { readonly line: number; readonly record: readonly string[] };

/** Takes a file's rows one after the other. */
class Reading {
  readonly problems: PayrollProblem[] = [];
  readonly lines: DoubtedLine[] = [];
  readonly cuts: PayrollProblem[] = [];
  readonly wallets = new WalletCheck();
  total = 0n;
  #columns: Columns | undefined;
  #width = 0;
  #style: AmountStyle | undefined;
  /** Line of the first amount that says which style the file has. */
  #styleLine = 0;
  /** Rows since the first amount that can be read in both styles, until another one says which. */
  #undecided: Row[] = [];
  readonly #options: ReadPayrollOptions;

  constructor(options: ReadPayrollOptions) {
    this.#options = options;
    this.#style = options.style;
  }

  get hasHeader(): boolean {
    return this.#columns !== undefined;
  }

  /** Takes a row; false: there is so much wrong that no more is wanted. */
  take(record: readonly string[], line: number): boolean {
    if (this.#columns === undefined) {
      const names = withoutEmptyEnd(record, 0);
      this.#width = names.length;
      this.#columns = readHeader(names, line);
      return true;
    }
    return this.#takeLine(withoutEmptyEnd(record, this.#width), line);
  }

  #takeLine(record: readonly string[], line: number): boolean {
    if (record.length !== this.#width) {
      const message = `The line has ${record.length} fields, the first line names ${this.#width}. A comma in a field needs quotation marks around it.`;
      this.problems.push({ code: 'fields-wrong', line, message });
    } else this.#decide({ line, record });
    return this.problems.length < MOST_PROBLEMS;
  }

  /** Reads what is left once there are no more rows. */
  finish(): void {
    const [first] = this.#undecided;
    if (first === undefined) return;
    this.#readUndecided('point');
    this.problems.push({
      code: 'amount-ambiguous',
      line: first.line,
      message:
        'The amount can be read in two ways, and no other line says which. Pass --decimal point if 1,250 is one thousand two hundred and fifty, --decimal comma if 1.250 is.',
    });
  }

  #field({ record }: Row, name: Column | 'name'): string {
    return record[this.#columns?.get(name) ?? -1] ?? '';
  }

  #decide(row: Row): void {
    const style = styleOf(this.#field(row, 'amount'));
    if ((style === 'point' || style === 'comma') && !this.#agrees(style, row.line)) return;
    if (this.#style !== undefined) this.#read(row, this.#style);
    else if (style === 'either' || this.#undecided.length > 0) this.#undecided.push(row);
    else this.#read(row, 'point');
  }

  /** Whether an amount's style is the file's. */
  #agrees(style: AmountStyle, line: number): boolean {
    if (this.#style === undefined) {
      this.#style = style;
      this.#styleLine = line;
      this.#readUndecided(style);
    }
    if (this.#style === style) return true;
    const other = this.#styleLine === 0 ? '--decimal says' : `line ${this.#styleLine} has`;
    const message = `The amount has a decimal ${style}, ${other} a decimal ${this.#style}. Write all amounts in the same way.`;
    this.problems.push({ code: 'amount-styles-mixed', line, message });
    return false;
  }

  #readUndecided(style: AmountStyle): void {
    for (const row of this.#undecided) this.#read(row, style);
    this.#undecided = [];
  }

  #read(row: Row, style: AmountStyle): void {
    const fields = {
      recipient: this.#field(row, 'recipient'),
      amount: this.#field(row, 'amount'),
      delivery: this.#field(row, 'delivery'),
    };
    const onRecipient = (line: number, address: Uint8Array) => this.wallets.add(line, address);
    const read = readLine(row.line, fields, { ...this.#options, style, onRecipient });
    if (Array.isArray(read)) this.problems.push(...read);
    else {
      this.lines.push({ ...read, name: this.#field(row, 'name') });
      this.total += read.amount;
      this.#lookBehind(row);
    }
  }

  /** An amount such as 980,50 that a comma has cut in two leaves its decimals in the next column. */
  #lookBehind({ line, record }: Row): void {
    const place = (this.#columns?.get('amount') ?? 0) + 1;
    if (place >= record.length || this.#columns?.get('delivery') === place) return;
    if (!/^\d{1,3}$/.test((record[place] as string).trim())) return;
    const message = 'The column after the amount has a short number: are those decimals that a comma has cut off?';
    this.cuts.push({ code: 'amount-cut', line, message });
  }
}

/**
 * Reads a payroll: CSV in UTF-8, whose first line names the columns `recipient`, `amount` and, if wanted, `delivery`; columns `name`,
 * `reference`, `note` and `email` are the employer's own; names go into the approver's file alone. Comma, semicolon or tab: what is between the columns' names is
 * the delimiter. Amounts have a decimal point or a decimal comma, all the same one.
 *
 * @throws PayrollError with everything that is wrong, line by line
 */
export async function readPayroll(file: string, options: ReadPayrollOptions): Promise<Payroll> {
  const reading = new Reading(options);
  const { problems, lines } = reading;
  try {
    await eachRow(file, options.onProgress, (record, line) => reading.take(record, line));
    reading.finish();
    problems.unshift(...(await reading.wallets.lines()).map(unsignableProblem));
  } finally {
    await reading.wallets.end();
  }
  problems.sort(byLine).splice(MOST_PROBLEMS);
  problems.push(...problemsOfAll(reading, options.maxRecipients ?? MAX_LEAVES));
  if (problems.length > 0) throw new PayrollError(problems);
  const paid = lines.map(({ name: _, ...line }): PayrollLine => line);
  const names = new Map(
    lines.flatMap(({ recipient, name }) => (name.trim() === '' ? [] : [[recipient, name.trim()] as const])),
  );
  const doubts = [...doubtsOf(lines), ...reading.cuts];
  return { lines: paid, names, total: reading.total, doubts: doubts.sort(byLine) };
}

const byLine = (one: PayrollProblem, other: PayrollProblem) => (one.line as number) - (other.line as number);

/** What is wrong with a payroll as a whole. */
function problemsOfAll({ hasHeader, lines, problems, total }: Reading, maxRecipients: number): PayrollProblem[] {
  const found: PayrollProblem[] = [];
  if (!hasHeader || (lines.length === 0 && problems.length === 0)) {
    found.push({ code: 'no-recipients', message: 'The payroll has no recipients: a line for each after the first.' });
  }
  if (lines.length > maxRecipients) {
    const message = `The payroll has ${lines.length} recipients, a schedule takes ${maxRecipients}. Split it into several.`;
    found.push({ code: 'too-many-recipients', message });
  }
  if (total > MAX_U64) {
    found.push({ code: 'total-too-large', message: "The payroll's total is larger than a ledger can hold." });
  }
  return found;
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
  const { delimiter, headerLine } = dialectOf(await beginningOf(file), [...COLUMNS, ...OWN_COLUMNS]);
  const parser = parse({ bom: true, delimiter, from_line: headerLine, relax_column_count: true });
  let line = headerLine;
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

/** The first lines of a file. */
async function beginningOf(file: string): Promise<string> {
  for await (const bytes of createReadStream(file, { end: HEADER_BYTES - 1 }) as AsyncIterable<Buffer>) {
    return bytes.toString('utf8');
  }
  return '';
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

function readHeader(record: readonly string[], line: number): Columns {
  const problems: PayrollProblem[] = [];
  const columns = new Map<Column | 'name', number>();
  for (const [place, written] of record.entries()) {
    const name = written.trim().toLowerCase();
    const column = COLUMNS.find((each) => each === name);
    if (column === undefined) {
      if (name === 'name') columns.set(name, place);
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
