import { dialectOf, withoutEmptyEnd } from '@payouts/cli/dialect';
import { signal } from '@preact/signals';

/** Names by address, as the employer's own file has them. They never leave this tab. */
export type Names = ReadonlyMap<string, string>;

/** Those that are read. */
const COLUMNS = ['recipient', 'name'];

/** A file that has no names for addresses. The message says what to do. */
export class NoNames extends Error {
  override readonly name = 'NoNames';
}

export const names = signal<Names>(new Map());

export const forgetNames = (): void => {
  names.value = new Map();
};

/**
 * Names out of a payroll as the command `payout` reads it: CSV whose first line names the columns `recipient` and `name`. Throws
 * `NoNames`.
 */
export async function readNames(text: string): Promise<Names> {
  const { CsvError, parse } = await import('csv-parse/browser/esm/sync');
  let rows: string[][];
  try {
    const { delimiter, headerLine } = dialectOf(text, COLUMNS);
    const options = { bom: true, delimiter, from_line: headerLine, relax_column_count: true, skip_empty_lines: true };
    rows = parse(text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new NoNames('This file is no CSV. Open the payroll that you gave to the command payout.');
  }
  const columns = withoutEmptyEnd(rows[0] ?? [], 0).map((column) => column.trim().toLowerCase());
  const [address, name] = [columns.indexOf('recipient'), columns.indexOf('name')];
  if (address < 0 || name < 0) {
    throw new NoNames('The first line must name the columns “recipient” and “name”.');
  }
  const odd = rows.findIndex((row) => withoutEmptyEnd(row, columns.length).length !== columns.length);
  if (odd >= 0) {
    throw new NoNames(
      `Row ${odd + 1} has other columns than the first one names. A comma in a field needs quotation marks around it.`,
    );
  }
  const found = rows.slice(1).map((row) => [row[address]?.trim() ?? '', row[name]?.trim() ?? ''] as const);
  return new Map(found.filter(([key, value]) => key !== '' && value !== ''));
}
