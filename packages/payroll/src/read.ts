import { MAX_LEAVES, MAX_U64 } from '@payouts/client/browser';
import type { Address } from '@solana/kit';
import { type AmountStyle, styleOf } from './amount.ts';
import { csvRows, type Row } from './csv.ts';
import { withoutEmptyEnd } from './dialect.ts';
import { type DoubtedLine, doubtsOf } from './doubts.ts';
import { type LineRules, type PayrollLine, readLine, unsignableProblem } from './line.ts';
import { nextTurn } from './nextTurn.ts';
import { PayrollError, type PayrollProblem } from './problems.ts';
import { textOf } from './text.ts';
import { WalletCheck, type WalletThread } from './wallets.ts';

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
  /** Starts a thread that checks recipients while lines are read; without it they are checked in this one. */
  readonly startThread?: () => WalletThread;
};

const COLUMNS = ['recipient', 'amount', 'delivery'] as const;
type Column = (typeof COLUMNS)[number];
/** Places of columns by their names. */
type Columns = ReadonlyMap<Column | 'name', number>;
/** Columns that are the employer's own: they never leave this machine. */
const OWN_COLUMNS = ['name', 'reference', 'note', 'email'];
/** A file that is wrong throughout needs no list of a million lines. */
const MOST_PROBLEMS = 1_000;

/** Takes a file's rows one after the other. */
class Reading {
  readonly problems: PayrollProblem[] = [];
  readonly lines: DoubtedLine[] = [];
  readonly cuts: PayrollProblem[] = [];
  readonly wallets: WalletCheck;
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
    this.wallets = new WalletCheck(options.startThread);
  }

  get hasHeader(): boolean {
    return this.#columns !== undefined;
  }

  /** Takes a row; false: there is so much wrong that no more is wanted. */
  take({ line, cells }: Row): boolean {
    if (this.#columns === undefined) {
      const names = withoutEmptyEnd(cells, 0);
      this.#width = names.length;
      this.#columns = readHeader(names, line);
      return true;
    }
    return this.#takeLine(withoutEmptyEnd(cells, this.#width), line);
  }

  #takeLine(cells: readonly string[], line: number): boolean {
    if (cells.length !== this.#width) {
      const message = `The line has ${cells.length} fields, the first line names ${this.#width}. A comma in a field needs quotation marks around it.`;
      this.problems.push({ code: 'fields-wrong', line, message });
    } else this.#decide({ line, cells });
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

  #field({ cells }: Row, name: Column | 'name'): string {
    return cells[this.#columns?.get(name) ?? -1] ?? '';
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
  #lookBehind({ line, cells }: Row): void {
    const place = (this.#columns?.get('amount') ?? 0) + 1;
    if (place >= cells.length || this.#columns?.get('delivery') === place) return;
    if (!/^\d{1,3}$/.test((cells[place] as string).trim())) return;
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
export async function readPayroll(content: Uint8Array | string, options: ReadPayrollOptions): Promise<Payroll> {
  const reading = new Reading(options);
  const { problems, lines } = reading;
  try {
    for (const { rows, part } of csvRows(await textOf(content), [...COLUMNS, ...OWN_COLUMNS])) {
      if (!rows.every((row) => reading.take(row))) break;
      options.onProgress?.(part);
      await nextTurn();
    }
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
