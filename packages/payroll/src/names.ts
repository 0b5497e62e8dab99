import { nextTurn } from '@payouts/client/browser';
import { NAME_COLUMNS, type TakenColumn, takeColumns } from './columns.ts';
import { openTable } from './open.ts';
import { PayrollError, unreadable } from './problems.ts';
import { withoutEmptyEnd } from './table.ts';

/** What a payroll may call a recipient, beside their address; the column of each has its name. */
export const FIELDS = ['name', 'label', 'note'] as const;
type Field = (typeof FIELDS)[number];
export type NameFields = Readonly<Partial<Record<Field, string>>>;
export type NamedRecipient = readonly [recipient: string, fields: NameFields];

/** Where a payroll has its recipients and what it calls them. */
type Header = {
  readonly recipient: number;
  readonly fields: readonly (readonly [Field, number])[];
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
        const { taken } = takeColumns(row, rows.slice(1), ['recipient'], {}, NAME_COLUMNS);
        header = headerOf(taken, withoutEmptyEnd(row.cells, 0).length, row.line);
        continue;
      }
      if (sheet === undefined && withoutEmptyEnd(row.cells, header.width).length !== header.width) {
        throw fieldsWrong(row.line);
      }
      const recipient = (row.cells[header.recipient] ?? '').trim();
      const fields = header.fields.map(([field, place]) => [field, (row.cells[place] ?? '').trim()] as const);
      const known = fields.filter(([, value]) => value !== '');
      if (recipient !== '' && known.length > 0) named.push([recipient, Object.fromEntries(known)]);
    }
    await nextTurn();
  }
  if (header === undefined) {
    throw unreadable('no-recipients', 'The payroll has no recipients: a line for each after the first.');
  }
  return named;
}

function headerOf(taken: readonly TakenColumn[], width: number, line: number): Header {
  const placeOf = (column: string) => taken.find((each) => each.column === column)?.place ?? -1;
  const fields = FIELDS.map((field) => [field, placeOf(field)] as const).filter(([, place]) => place >= 0);
  if (fields.length === 0) {
    const message = 'No column is named “name”, “label” or “note”, or has another word for one of them.';
    throw new PayrollError([{ code: 'column-missing', line, message }]);
  }
  return { recipient: placeOf('recipient'), fields, width };
}

const fieldsWrong = (line: number): PayrollError => {
  const message =
    'The line has other columns than the first one names. A comma in a field needs quotation marks around it.';
  return new PayrollError([{ code: 'fields-wrong', line, message }]);
};
