import type { AmountStyle } from './amount.ts';
import type { PayrollProblem, PayrollProblemCode } from './problems.ts';

/** One row of a payroll, whatever the kind of its file. */
export type Row = {
  /** Line of the file that it begins in, or row of the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** What cells of a sheet are besides text, by their places. */
  readonly kinds?: ReadonlyMap<number, CellKind>;
  readonly isHidden?: boolean;
};

/** A cell that holds no text: a number, with all of its digits and as many decimals as are shown; or what can't be taken. */
export type CellKind =
  | { readonly stored: string; readonly shownDecimals: number | undefined }
  | { readonly fault: { readonly code: PayrollProblemCode; readonly message: string } };

/** Some of a file's rows, and the part of all that is read with them, 0 to 1. */
export type Slice = { readonly rows: readonly Row[]; readonly part: number };

/** Columns and rows from 0 and 1, all of them included. */
export type Area = {
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly firstRow: number;
  readonly lastRow: number;
};

/** A payroll's rows that are not empty. Reading a slice takes a few milliseconds. */
export type Table = {
  readonly slices: Iterable<Slice>;
  /** How its amounts are written, where all files of the kind write them so. */
  readonly style?: AmountStyle;
  /** Only of a sheet. */
  readonly sheet?: {
    readonly hiddenColumns: readonly Area[];
    readonly merged: readonly Area[];
    readonly doubts: readonly PayrollProblem[];
  };
};

/** A row without the empty fields at its end, beyond the first so many: spreadsheets write cells that were filled once. */
export function withoutEmptyEnd(cells: readonly string[], least: number): readonly string[] {
  let length = cells.length;
  while (length > least && cells[length - 1]?.trim() === '') length -= 1;
  return length === cells.length ? cells : cells.slice(0, length);
}

/** The letters of a column: A, B, …, Z, AA. */
export function columnName(place: number): string {
  const letter = String.fromCharCode(65 + (place % 26));
  return place < 26 ? letter : columnName(Math.floor(place / 26) - 1) + letter;
}

/** The place of a column, from 0, by its letters. */
export function columnPlace(name: string): number {
  let place = 0;
  for (const letter of name) place = place * 26 + letter.charCodeAt(0) - 64;
  return place - 1;
}
