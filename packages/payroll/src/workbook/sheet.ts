import { type Area, type CellKind, columnName, columnPlace, type Row } from '../table.ts';
import type { Attributes, Visitor } from '../xml.ts';
import { type Archive, damaged } from './archive.ts';
import type { NumberFormat } from './formats.ts';
import { cellNumber } from './number.ts';
import { isSet, readPart } from './part.ts';

/** What a sheet's cells refer to. */
export type SheetContext = {
  readonly strings: readonly string[];
  /** By the number of a cell's style. */
  readonly formats: readonly NumberFormat[];
};

/** A sheet as it is read. */
export type Sheet = { readonly rows: Row[]; readonly hiddenColumns: Area[]; readonly merged: Area[] };

/** The most columns that a payroll can use; spreadsheets have 16,384. */
const MOST_COLUMNS = 256;
const MOST_ROWS = 1_048_576;
const CELL = /^([A-Z]{1,3})([1-9]\d{0,6})$/;

/** Reads the rows of a sheet that have a value. Throws `PayrollError`. */
export async function readSheet(archive: Archive, part: string, context: SheetContext): Promise<Sheet> {
  const visitor = new SheetVisitor(context);
  await readPart(archive, part, visitor);
  return visitor;
}

class SheetVisitor implements Sheet, Visitor {
  readonly rows: Row[] = [];
  readonly hiddenColumns: Area[] = [];
  readonly merged: Area[] = [];
  readonly #context: SheetContext;
  #section = '';
  #areRowsHidden = false;
  #line = 0;
  #isHidden = false;
  #cells: string[] = [];
  #kinds: Map<number, CellKind> | undefined;
  #place = -1;
  #cell: Attributes = {};
  #value: string | undefined;
  #hasFormula = false;
  #inline = '';
  #isSpoken = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  open(name: string, depth: number, attributes: Attributes): void {
    if (depth === 1 && name !== 'worksheet') throw damaged('a sheet is none');
    if (depth === 2) this.#section = name;
    if (depth === 2 && name === 'sheetFormatPr') this.#areRowsHidden = isSet(attributes, 'zeroHeight');
    else if (this.#section === 'sheetData') this.#openInData(name, depth, attributes);
    else if (depth === 3 && name === 'col') this.#takeColumns(attributes);
    else if (depth === 3 && name === 'mergeCell') this.merged.push(areaOf(attributes.ref ?? ''));
  }

  #openInData(name: string, depth: number, attributes: Attributes): void {
    if (depth === 3 && name === 'row') this.#openRow(attributes);
    else if (depth === 4 && name === 'c') this.#openCell(attributes);
    else if (depth === 5 && name === 'f') this.#hasFormula = true;
    else if (depth === 6) this.#isSpoken = name === 'rPh';
  }

  close(name: string, depth: number, text: string): void {
    if (this.#section !== 'sheetData') return;
    if (depth === 3 && name === 'row') this.#closeRow();
    else if (depth === 4 && name === 'c') this.#closeCell();
    else if (depth === 5 && name === 'v') this.#value = text;
    else if (name === 't' && (depth === 6 || (depth === 7 && !this.#isSpoken))) this.#inline += text;
  }

  #takeColumns(attributes: Attributes): void {
    if (!isSet(attributes, 'hidden') && Number(attributes.width ?? 1) > 0) return;
    const [first, last] = ['min', 'max'].map((name) => Number(attributes[name]) - 1);
    this.hiddenColumns.push({
      firstColumn: first as number,
      lastColumn: last as number,
      firstRow: 1,
      lastRow: MOST_ROWS,
    });
  }

  #openRow(attributes: Attributes): void {
    const line = Number(attributes.r ?? this.#line + 1);
    if (!Number.isInteger(line) || line <= this.#line || line > MOST_ROWS) throw damaged('its rows are out of order');
    this.#line = line;
    const [hidden, height] = [attributes.hidden, attributes.ht];
    const isByDefault = this.#areRowsHidden && hidden === undefined && height === undefined;
    this.#isHidden = isSet(attributes, 'hidden') || Number(height ?? 1) === 0 || isByDefault;
    this.#cells = [];
    this.#kinds = undefined;
    this.#place = -1;
  }

  #closeRow(): void {
    if (this.#cells.every((cell) => cell.trim() === '') && this.#kinds === undefined) return;
    this.rows.push({
      line: this.#line,
      cells: this.#cells,
      ...(this.#kinds && { kinds: this.#kinds }),
      ...(this.#isHidden && { isHidden: true }),
    });
  }

  #openCell(attributes: Attributes): void {
    const written = attributes.r ?? columnName(this.#place + 1) + this.#line;
    const [, column = '', row] = CELL.exec(written) ?? [];
    const place = columnPlace(column);
    if (Number(row) !== this.#line || place <= this.#place)
      throw damaged(`the cells of row ${this.#line} are out of order`);
    this.#place = place;
    this.#cell = attributes;
    this.#value = undefined;
    this.#hasFormula = false;
    this.#inline = '';
  }

  #closeCell(): void {
    const text = this.#textOfCell();
    if (text === '' && !this.#hasFormula) return;
    if (this.#place >= MOST_COLUMNS) throw damaged(`it has values beyond column ${columnName(MOST_COLUMNS - 1)}`);
    while (this.#cells.length < this.#place) this.#cells.push('');
    this.#cells.push(text);
  }

  /** A cell's text; what else it is, is noted. */
  #textOfCell(): string {
    const type = this.#cell.t ?? 'n';
    if (this.#hasFormula) this.#note(FORMULA);
    if (type === 'inlineStr') return unescaped(this.#inline);
    if (this.#value === undefined) return '';
    if (type === 's') return this.#shared(this.#value);
    if (type === 'd') this.#note(DATE);
    if (type === 'n') return this.#number(this.#value);
    if (type === 'b') return this.#value === '1' ? 'TRUE' : 'FALSE';
    return unescaped(this.#value);
  }

  #shared(value: string): string {
    const text = /^\d+$/.test(value) ? this.#context.strings[Number(value)] : undefined;
    if (text === undefined) throw damaged('a cell refers to a text that is not there');
    return text;
  }

  #number(value: string): string {
    const number = cellNumber(value.trim());
    if (number === undefined) throw damaged('a number is none');
    const style = Number(this.#cell.s ?? 0);
    const format = this.#context.formats[style];
    if (format === undefined) throw damaged('a cell refers to a style that is not there');
    if (format.kind === 'plain') this.#note({ stored: number.stored, shownDecimals: format.decimals });
    else this.#note(format.kind === 'date' ? DATE : FORMAT);
    return number.shown;
  }

  #note(kind: CellKind): void {
    this.#kinds ??= new Map();
    // What is wrong first stays: a formula's value is a number, too.
    if (!this.#kinds.has(this.#place)) this.#kinds.set(this.#place, kind);
  }
}

const FORMULA: CellKind = {
  fault: {
    code: 'cell-formula',
    message: 'The cell has a formula, whose result may be out of date. Copy the column and paste its values alone.',
  },
};
const DATE: CellKind = {
  fault: { code: 'cell-date', message: 'The cell has a date. Give it the format of a number or text.' },
};
const FORMAT: CellKind = {
  fault: {
    code: 'cell-format',
    message:
      'The cell shows its number as something else: in per cent, in thousands, as a fraction, or not at all. Give it a plain format.',
  },
};

/** "A1:B7", or "A1". */
function areaOf(written: string): Area {
  const [from = '', to = from] = written.split(':');
  const [first, last] = [from, to].map((cell) => CELL.exec(cell));
  if (first == null || last == null) throw damaged('merged cells are none');
  return {
    firstColumn: columnPlace(first[1] as string),
    lastColumn: columnPlace(last[1] as string),
    firstRow: Number(first[2]),
    lastRow: Number(last[2]),
  };
}

/** Characters that XML can't hold are written as _x000D_. */
export const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
