import { dialectOf, withoutEmptyEnd } from '@payouts/cli/dialect';
import { NamesError } from './namesError.ts';
import { FIELDS, type Person } from './people.ts';

export type ReadPerson = readonly [address: string, person: Partial<Person>];

/** Those that are read. */
const COLUMNS = ['recipient', ...FIELDS];

/**
 * Names, labels and notes out of a payroll as the command `payout` reads it: CSV whose first line names the column `recipient` and at
 * least one of theirs. Throws `NamesError`.
 */
export async function readNames(text: string): Promise<readonly ReadPerson[]> {
  const { CsvError, parse } = await import('csv-parse/browser/esm/sync');
  let rows: string[][];
  try {
    const { delimiter, headerLine } = dialectOf(text, COLUMNS);
    const options = { bom: true, delimiter, from_line: headerLine, relax_column_count: true, skip_empty_lines: true };
    rows = parse(text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unreadable(
      'This file is neither a CSV nor names that this page has saved. Open the payroll that you pay by.',
    );
  }
  const columns = withoutEmptyEnd(rows[0] ?? [], 0).map((column) => column.trim().toLowerCase());
  const address = columns.indexOf('recipient');
  const places = FIELDS.map((field) => [field, columns.indexOf(field)] as const).filter(([, place]) => place >= 0);
  if (address < 0 || places.length === 0) {
    throw unreadable('The first line must name the columns “recipient” and “name”; “label” and “note” are read, too.');
  }
  const odd = rows.findIndex((row) => withoutEmptyEnd(row, columns.length).length !== columns.length);
  if (odd >= 0) {
    throw unreadable(
      `Row ${odd + 1} has other columns than the first one names. A comma in a field needs quotation marks around it.`,
    );
  }
  const personIn = (row: string[]): Partial<Person> =>
    Object.fromEntries(places.map(([field, place]) => [field, row[place]?.trim() ?? '']));
  return rows.slice(1).map((row) => [row[address]?.trim() ?? '', personIn(row)] as const);
}

const unreadable = (message: string): NamesError => new NamesError('NAMES_NOT_A_FILE', message);
