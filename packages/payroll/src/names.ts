import { csvRows } from './csv.ts';
import { withoutEmptyEnd } from './dialect.ts';
import { nextTurn } from './nextTurn.ts';
import { PayrollError } from './problems.ts';
import { textOf } from './text.ts';

/** Columns that are read. */
const COLUMNS = ['recipient', 'name'];

/** Names by address, as a payroll has them; its amounts are not looked at. Throws `PayrollError`. */
export async function readNames(content: Uint8Array | string): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let places: readonly number[] | undefined;
  let width = 0;
  for (const { rows } of csvRows(await textOf(content), COLUMNS)) {
    for (const { line, cells } of rows) {
      if (places === undefined) {
        const header = withoutEmptyEnd(cells, 0).map((name) => name.trim().toLowerCase());
        [places, width] = [COLUMNS.map((name) => placeOf(header, name, line)), header.length];
        continue;
      }
      if (withoutEmptyEnd(cells, width).length !== width) {
        const message =
          'The line has other columns than the first one names. A comma in a field needs quotation marks around it.';
        throw new PayrollError([{ code: 'fields-wrong', line, message }]);
      }
      const [recipient = '', name = ''] = places.map((place) => (cells[place] as string).trim());
      if (recipient !== '' && name !== '') names.set(recipient, name);
    }
    await nextTurn();
  }
  if (places === undefined) throw columnsMissing(1);
  return names;
}

function placeOf(header: readonly string[], name: string, line: number): number {
  const place = header.indexOf(name);
  if (place < 0) throw columnsMissing(line);
  return place;
}

const columnsMissing = (line: number) =>
  new PayrollError([
    { code: 'column-missing', line, message: 'The first line must name the columns “recipient” and “name”.' },
  ]);
