import { normalised, takeColumns } from './columns.ts';
import { nextTurn } from './nextTurn.ts';
import { openTable } from './open.ts';
import { PayrollError, unreadable } from './problems.ts';
import { type Row, withoutEmptyEnd } from './table.ts';

/** What a payroll may call a recipient, beside their address: their name, and two columns that have these names. */
const OWN_FIELDS = ['label', 'note'] as const;
export type NameFields = Readonly<Partial<Record<'name' | (typeof OWN_FIELDS)[number], string>>>;
export type NamedRecipient = readonly [recipient: string, fields: NameFields];

type Header = {
  readonly recipient: number;
  readonly fields: readonly (readonly [string, number])[];
  readonly width: number;
};

/** What a payroll calls its recipients; its amounts are not looked at. Throws `PayrollError`. */
export async function readNames(content: Uint8Array | string): Promise<readonly NamedRecipient[]> {
  const named: NamedRecipient[] = [];
  const { slices, sheet } = await openTable(content, { named: [] });
  let header: Header | undefined;
  for (const { rows } of slices) {
    for (const row of rows) {
      if (header === undefined) {
        header = headerOf(row, rows.slice(1));
        continue;
      }
      const { width, recipient, fields } = header;
      if (sheet === undefined && withoutEmptyEnd(row.cells, width).length !== width) throw fieldsWrong(row.line);
      const address = cellOf(row, recipient);
      const known = fields
        .map(([field, place]) => [field, cellOf(row, place)] as const)
        .filter(([, text]) => text !== '');
      if (address !== '' && known.length > 0) named.push([address, Object.fromEntries(known)]);
    }
    await nextTurn();
  }
  if (header === undefined)
    throw unreadable('no-recipients', 'The payroll has no recipients: a line for each after the first.');
  return named;
}

const cellOf = ({ cells }: Row, place: number): string => (cells[place] ?? '').trim();

function headerOf(row: Row, sample: readonly Row[]): Header {
  const headers = withoutEmptyEnd(row.cells, 0).map(normalised);
  const own = OWN_FIELDS.map((field) => [field, headers.indexOf(field)] as const).filter(([, place]) => place >= 0);
  // Whoever has labels only needs no names.
  const { taken } = takeColumns(row, sample, own.length > 0 ? ['recipient'] : ['recipient', 'name']);
  const placeOf = (column: string) => taken.find((each) => each.column === column)?.place ?? -1;
  const name = placeOf('name');
  const fields = [...(name < 0 ? [] : [['name', name] as const]), ...own];
  return { recipient: placeOf('recipient'), fields, width: headers.length };
}

const fieldsWrong = (line: number): PayrollError => {
  const message =
    'The line has other columns than the first one names. A comma in a field needs quotation marks around it.';
  return new PayrollError([{ code: 'fields-wrong', line, message }]);
};
