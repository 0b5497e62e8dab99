import { type AmountStyle, styleOf } from './amount.ts';
import { PAYROLL_COLUMNS, type TakenColumns, takeColumns } from './columns.ts';
import { codeOf, otherCurrency } from './currency.ts';
import { type LineRules, type PayrollLine, readLine } from './line.ts';
import { type LineMoney, MoneyColumns } from './money.ts';
import type { ReadPayrollOptions } from './options.ts';
import type { PayrollColumn, PayrollProblem, PayrollProblemCode, PayrollQuestion } from './problems.ts';
import { type Area, type CellKind, columnName, type Row, type Slice, type Table, withoutEmptyEnd } from './table.ts';
import { WalletCheck } from './wallets.ts';
import { decimalsOf } from './workbook/number.ts';

/** A file that is wrong throughout needs no list of a million lines. */
export const MOST_PROBLEMS = 1_000;
/** Rows by which it is told which column has addresses. */
const SAMPLE_ROWS = 100;
const NEEDED: readonly PayrollColumn[] = ['recipient', 'amount'];
/** What says whom a line pays, and how much; the others are for the eye alone. */
const PAYING: readonly PayrollColumn[] = [...NEEDED, 'delivery', 'name', 'label', 'token', 'currency'];
/** What says it too, where there may be several tokens. */
const MONEY: readonly PayrollColumn[] = ['token', 'currency'];

/** Takes a payroll's rows one after the other. */
export class PayrollReading {
  readonly problems: PayrollProblem[] = [];
  readonly doubts: PayrollProblem[] = [];
  readonly lines: PayrollLine[] = [];
  /** Of each line; empty: it has none. */
  readonly names: string[] = [];
  readonly labels: string[] = [];
  readonly wallets: WalletCheck;
  columns: TakenColumns | undefined;
  #places: ReadonlyMap<PayrollColumn, number> = new Map();
  /** Columns that have a name, and fields of the line that names them. */
  #width = 0;
  #fields = 0;
  #style: AmountStyle | undefined;
  /** Line of the first amount that says which style the file has. */
  #styleLine = 0;
  /** Rows since the first amount that can be read in both styles, until another one says which. */
  #undecided: Row[] = [];
  readonly #options: ReadPayrollOptions;
  readonly #rules: Omit<LineRules, 'style'>;
  /** The same with what lines are paid in. */
  readonly #moneyRules: Readonly<Record<AmountStyle, Map<LineMoney, LineRules>>> = {
    point: new Map(),
    comma: new Map(),
  };
  readonly #sheet: Table['sheet'];
  #money: MoneyColumns;
  #hasUnnamed = false;

  constructor(options: ReadPayrollOptions, { sheet, style = options.style }: Table) {
    this.#options = options;
    this.#sheet = sheet;
    this.#style = style;
    this.wallets = new WalletCheck(options.startThread);
    const onRecipient = (line: number, address: Uint8Array) => this.wallets.add(line, address);
    this.#money = new MoneyColumns(options, '');
    const { refused, decimals } = options;
    this.#rules = { decimals, onRecipient, ...(refused && { refused }) };
    this.doubts.push(...(sheet?.doubts ?? []));
  }

  /** Takes the next rows; false: there is so much wrong that no more is wanted. Throws `PayrollError`. */
  take({ rows }: Slice): boolean {
    const [header] = rows;
    let begins = 0;
    if (this.columns === undefined && header !== undefined) {
      this.#begin(header, rows.slice(1, 1 + SAMPLE_ROWS));
      begins = 1;
    }
    for (let at = begins; at < rows.length && this.problems.length < MOST_PROBLEMS; at++)
      this.#takeRow(rows[at] as Row);
    return this.problems.length < MOST_PROBLEMS;
  }

  /** Reads what is left once there are no more rows. */
  finish(): void {
    const [first] = this.#undecided;
    this.#readUndecided('point');
    if (this.problems.length === 0) this.problems.push(...this.#money.unused());
    if (first === undefined) return;
    this.problems.push({
      code: 'amount-ambiguous',
      ...this.#at(first.line, 'amount'),
      message:
        'The amount can be read in two ways, and no other line says which: 1,250 and 1.250 are one thousand two hundred and fifty, or one and a quarter.',
      question: { option: 'style', choices: ['point', 'comma'] },
    });
  }

  #begin(header: Row, sample: readonly Row[]): void {
    const wanted = this.#options.tokens === undefined ? PAYROLL_COLUMNS : [...PAYROLL_COLUMNS, ...MONEY];
    this.columns = takeColumns(header, sample, NEEDED, this.#options.map, wanted);
    const amounts = this.columns.taken.find(({ column }) => column === 'amount')?.header ?? '';
    this.#money = new MoneyColumns(this.#options, amounts);
    const paying = this.columns.taken.filter(({ column }) => PAYING.includes(column));
    this.#places = new Map(paying.map(({ column, place }) => [column, place]));
    this.#width = withoutEmptyEnd(header.cells, 0).length;
    this.#fields = header.cells.length;
    if (header.isHidden) this.#wrong('row-hidden', header.line, HIDDEN);
    for (const { column, place } of paying) {
      const area = this.#sheet?.hiddenColumns.find((each) => holds(each, place));
      const message = `The column ${columnName(place)} is hidden. Show it, so that you see what is paid.`;
      if (area !== undefined) this.#wrong('column-hidden', header.line, message, column);
    }
    for (const area of this.#sheet?.merged ?? []) this.#takeMerged(area, header.line);
    this.#lookAtCurrency(header.line, amounts);
    if (this.columns.unread.length > 0) {
      this.doubts.push({ code: 'column-unread', line: header.line, message: unreadText(this.columns) });
    }
  }

  #lookAtCurrency(line: number, header: string): void {
    const { token, rates = [] } = this.#options;
    const named = token === undefined ? undefined : otherCurrency(header, token);
    if (named === undefined || rates.length > 0) return;
    const message = `The amounts’ column names ${named}, and ${token} is paid: as many as the file says. Nothing is converted.`;
    const question = { option: 'rate', currency: codeOf(named) } as const;
    this.doubts.push({ code: 'amount-currency', ...this.#at(line, 'amount'), message, question });
  }

  #takeMerged(area: Area, headerLine: number): void {
    if (area.lastRow < headerLine || ![...this.#places.values()].some((place) => holds(area, place))) return;
    const [line, cell] = [area.firstRow, columnName(area.firstColumn) + area.firstRow];
    const message = 'The cell is merged with others, so it does not say whom it is about. Split them.';
    this.problems.push({ code: 'cells-merged', line, cell, message });
  }

  #takeRow(row: Row): void {
    if (row.isHidden) {
      this.#wrong('row-hidden', row.line, HIDDEN);
      return;
    }
    const cells = withoutEmptyEnd(row.cells, this.#width);
    if (this.#sheet === undefined && cells.length !== this.#width) {
      const message = `The line has ${cells.length} fields, the first line names ${this.#width}. A comma in a field needs quotation marks around it.`;
      this.#wrong('fields-wrong', row.line, message);
      return;
    }
    if (cells.length > this.#width && !this.#hasUnnamed) {
      this.#hasUnnamed = true;
      const message = `Column ${columnName(cells.length - 1)} has a value and no name: it is not read.`;
      this.doubts.push({ code: 'column-unread', line: row.line, message });
    }
    if (row.kinds === undefined || !this.#isFaulty(row.line, row.kinds)) this.#decide(row);
  }

  /** Whether a cell that is needed holds what can't be taken. */
  #isFaulty(line: number, kinds: ReadonlyMap<number, CellKind>): boolean {
    let isFaulty = false;
    for (const [column, place] of this.#places) {
      const kind = kinds.get(place);
      if (kind === undefined || !('fault' in kind)) continue;
      this.#wrong(kind.fault.code, line, kind.fault.message, column);
      isFaulty = true;
    }
    return isFaulty;
  }

  #field({ cells }: Row, column: PayrollColumn): string {
    return cells[this.#places.get(column) ?? -1] ?? '';
  }

  #decide(row: Row): void {
    const kind = row.kinds?.get(this.#places.get('amount') ?? -1);
    if (kind !== undefined && 'stored' in kind) {
      this.#takeNumber(row, kind);
      return;
    }
    const style = styleOf(this.#field(row, 'amount'));
    if ((style === 'point' || style === 'comma') && !this.#agrees(style, row.line)) return;
    if (this.#style !== undefined) this.#read(row, this.#style);
    else if (style === 'either' || this.#undecided.length > 0) this.#undecided.push(row);
    else this.#read(row, 'point');
  }

  /** A number of a sheet is written in no style, and kept with fifteen digits. */
  #takeNumber(row: Row, { stored, shownDecimals }: Extract<CellKind, { stored: string }>): void {
    const shown = this.#field(row, 'amount');
    const { decimals, tokens = [] } = this.#options;
    if (stored !== shown && decimalsOf(stored) <= Math.max(decimals, ...tokens.map((token) => token.decimals))) {
      const message = 'The amount has more digits than a spreadsheet keeps of a number. Write it as text.';
      this.#wrong('amount-inexact', row.line, message, 'amount');
      return;
    }
    if (shownDecimals !== undefined && decimalsOf(shown) > shownDecimals) {
      const message = `The cell shows fewer decimals (${shownDecimals}) than the amount has (${decimalsOf(shown)}). All of them are paid.`;
      this.doubts.push({ code: 'amount-rounded', ...this.#at(row.line, 'amount'), message });
    }
    this.#read(row, 'point');
  }

  /** Whether an amount's style is the file's. */
  #agrees(style: AmountStyle, line: number): boolean {
    if (this.#style === undefined) {
      this.#style = style;
      this.#styleLine = line;
      this.#readUndecided(style);
    }
    if (this.#style === style) return true;
    const other = this.#styleLine === 0 ? 'the file is said to have' : `line ${this.#styleLine} has`;
    const message = `The amount has a decimal ${style}, ${other} a decimal ${this.#style}. Write all amounts in the same way.`;
    this.#wrong('amount-styles-mixed', line, message, 'amount');
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
    const money = this.#money.of(this.#field(row, 'token'), this.#field(row, 'currency'));
    if ('code' in money) {
      this.#wrong(money.code, row.line, money.message, columnOf(money.code), money.question);
      return;
    }
    const read = readLine(row.line, fields, this.#rulesOf(money, style));
    if (Array.isArray(read)) {
      for (const { code, line, message } of read) this.#wrong(code, line as number, message, columnOf(code));
      return;
    }
    this.lines.push(read);
    this.names.push(this.#field(row, 'name'));
    this.labels.push(this.#field(row, 'label'));
    if (this.#sheet === undefined) this.#lookBehind(row);
  }

  #rulesOf(money: LineMoney, style: AmountStyle): LineRules {
    const known = this.#moneyRules[style].get(money);
    if (known !== undefined) return known;
    const rules = { ...this.#rules, ...money, style };
    this.#moneyRules[style].set(money, rules);
    return rules;
  }

  /** An amount such as 980,50 that a comma has cut in two leaves its decimals in the next column, and the line a field longer. */
  #lookBehind({ line, cells }: Row): void {
    const place = (this.#places.get('amount') ?? 0) + 1;
    if (place >= cells.length || this.#places.get('delivery') === place) return;
    const behind = (cells[place] as string).trim();
    if (!/^\d+$/.test(behind) || (behind.length > 3 && cells.length === this.#fields)) return;
    const message = 'The column after the amount has a short number: are those decimals that a comma has cut off?';
    this.doubts.push({ code: 'amount-cut', line, message });
  }

  #wrong(
    code: PayrollProblemCode,
    line: number,
    message: string,
    column?: PayrollColumn,
    question?: PayrollQuestion,
  ): void {
    this.problems.push({ code, ...this.#at(line, column), message, ...(question && { question }) });
  }

  /** Where something is: in a sheet, the cell. */
  #at(line: number, column?: PayrollColumn): Pick<PayrollProblem, 'line' | 'cell'> {
    const place = column === undefined ? undefined : this.#places.get(column);
    return { line, ...(this.#sheet && place !== undefined && { cell: columnName(place) + line }) };
  }
}

const HIDDEN = 'The row is hidden. Show it, or delete it: nobody should be paid whom you don’t see.';

/** Headers that are named one by one. */
const NAMED = 5;

function unreadText({ unread }: TakenColumns): string {
  const names = unread.slice(0, NAMED).map(({ header }) => `“${header.replaceAll(/\p{C}+/gu, ' ')}”`);
  const more = unread.length - names.length;
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ').replace(/, ([^,]*)$/, ' and $1');
  return unread.length === 1 ? `The column ${all} is not read.` : `The columns ${all} are not read.`;
}

const holds = ({ firstColumn, lastColumn }: Area, place: number): boolean =>
  firstColumn <= place && place <= lastColumn;

/** What a code of a line is about. */
const columnOf = (code: PayrollProblemCode): PayrollColumn => code.slice(0, code.indexOf('-')) as PayrollColumn;
