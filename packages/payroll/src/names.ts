import { takeColumns } from './columns.ts';
import { nextTurn } from './nextTurn.ts';
import { openTable } from './open.ts';
import { PayrollError, unreadable } from './problems.ts';
import { withoutEmptyEnd } from './table.ts';

/** Names by address, as a payroll has them; its amounts are not looked at. Throws `PayrollError`. */
export async function readNames(content: Uint8Array | string): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const { slices, sheet } = await openTable(content, { named: [] });
  let places: readonly number[] | undefined;
  let width = 0;
  for (const { rows } of slices) {
    for (const row of rows) {
      if (places === undefined) {
        const { taken } = takeColumns(row, rows.slice(1), ['recipient', 'name']);
        places = (['recipient', 'name'] as const).map((column) => placeOf(taken, column));
        width = withoutEmptyEnd(row.cells, 0).length;
        continue;
      }
      if (sheet === undefined && withoutEmptyEnd(row.cells, width).length !== width) throw fieldsWrong(row.line);
      const [recipient = '', name = ''] = places.map((place) => (row.cells[place] ?? '').trim());
      if (recipient !== '' && name !== '') names.set(recipient, name);
    }
    await nextTurn();
  }
  if (places === undefined)
    throw unreadable('no-recipients', 'The payroll has no recipients: a line for each after the first.');
  return names;
}

const placeOf = (taken: ReturnType<typeof takeColumns>['taken'], column: string): number =>
  taken.find((each) => each.column === column)?.place ?? -1;

const fieldsWrong = (line: number): PayrollError => {
  const message =
    'The line has other columns than the first one names. A comma in a field needs quotation marks around it.';
  return new PayrollError([{ code: 'fields-wrong', line, message }]);
};
