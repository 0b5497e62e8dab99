/** A row of a database's dump, its fields by name. */
export type Row = Readonly<Record<string, string>>;

/** The rows of a table in a text dump. */
export function rowsOf(dump: Buffer, table: string): Row[] {
  const text = dump.toString('latin1');
  const [, columns, rows] =
    new RegExp(`^COPY public\\.${table} \\((.*)\\) FROM stdin;\n([^]*?)^\\\\\\.$`, 'm').exec(text) ?? [];
  if (columns === undefined || rows === undefined) return [];
  const names = columns.split(', ');
  return rows
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Object.fromEntries(line.split('\t').map((field, place) => [names[place] ?? '', field])));
}

/** A field's bytes, which a dump writes as digits. */
export const bytesOf = (row: Row, field: string): Buffer =>
  Buffer.from((row[field] ?? '').replace(/^\\\\x/, ''), 'hex');
