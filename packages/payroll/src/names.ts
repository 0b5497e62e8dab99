import { csvRows } from './csv.ts';
import { withoutEmptyEnd } from './dialect.ts';
import { nextTurn } from './nextTurn.ts';
import { PayrollError } from './problems.ts';
import { textOf } from './text.ts';

/** What a payroll may call a recipient, beside their address; the column of each has its name. */
const FIELDS = ['name', 'label', 'note'] as const;
export type NameFields = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;
export type NamedRecipient = readonly [recipient: string, fields: NameFields];

type Header = {
  readonly recipient: number;
  readonly fields: readonly (readonly [string, number])[];
  readonly width: number;
};

/** What a payroll calls its recipients; its amounts are not looked at. Throws `PayrollError`. */
export async function readNames(content: Uint8Array | string): Promise<readonly NamedRecipient[]> {
  const named: NamedRecipient[] = [];
  let header: Header | undefined;
  for (const { rows } of csvRows(await textOf(content), ['recipient', ...FIELDS])) {
    for (const { line, cells } of rows) {
      if (header === undefined) {
        header = headerOf(cells, line);
        continue;
      }
      if (withoutEmptyEnd(cells, header.width).length !== header.width) {
        const message =
          'The line has other columns than the first one names. A comma in a field needs quotation marks around it.';
        throw new PayrollError([{ code: 'fields-wrong', line, message }]);
      }
      const recipient = cells[header.recipient]?.trim() ?? '';
      const fields = header.fields.map(([field, place]) => [field, cells[place]?.trim() ?? ''] as const);
      const known = fields.filter(([, value]) => value !== '');
      if (recipient !== '' && known.length > 0) named.push([recipient, Object.fromEntries(known)]);
    }
    await nextTurn();
  }
  if (header === undefined) throw columnsMissing(1);
  return named;
}

function headerOf(cells: readonly string[], line: number): Header {
  const names = withoutEmptyEnd([...cells], 0).map((name) => name.trim().toLowerCase());
  const recipient = names.indexOf('recipient');
  const fields = FIELDS.map((field) => [field, names.indexOf(field)] as const).filter(([, place]) => place >= 0);
  if (recipient < 0 || fields.length === 0) throw columnsMissing(line);
  return { recipient, fields, width: names.length };
}

const columnsMissing = (line: number) =>
  new PayrollError([
    {
      code: 'column-missing',
      line,
      message: 'The first line must name the columns “recipient” and “name”; “label” and “note” are read, too.',
    },
  ]);
