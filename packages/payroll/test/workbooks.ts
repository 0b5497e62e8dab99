import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';

/** A cell as it stands in a sheet: text, a number, a number as it is written, or whatever else. */
export type TestCell =
  | string
  | number
  | { readonly number: string; readonly style?: number }
  | { readonly xml: string }
  | null;

/** A sheet of a workbook that a test makes up. */
export type TestSheet = {
  readonly name?: string;
  readonly state?: 'hidden' | 'veryHidden';
  readonly rows: readonly (readonly TestCell[])[];
  /** Attributes of rows, by their places. */
  readonly rowAttributes?: Readonly<Record<number, string>>;
  /** What stands before and after the rows. */
  readonly before?: string;
  readonly after?: string;
};

/** Number formats of styles 1, 2, … */
export type TestWorkbook = { readonly sheets: readonly TestSheet[]; readonly formats?: readonly string[] };

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** As XML has it, and characters that it hasn't as workbooks write them. */
export const escaped = (text: string): string =>
  text
    .replace(/_x(?=[0-9A-Fa-f]{4}_)/g, '_x005F_x')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is escaped
    .replace(/[\u0000-\u001f\ufffe\uffff]/g, (sign) => `_x${sign.charCodeAt(0).toString(16).padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;');

const letterOf = (place: number): string => String.fromCharCode(65 + place);

function sheetXml({ rows, rowAttributes = {}, before = '', after = '' }: TestSheet, strings: string[]): string {
  const cell = (value: TestCell, name: string): string => {
    if (value === null) return '';
    if (typeof value === 'string') return `<c r="${name}" t="s"><v>${strings.push(value) - 1}</v></c>`;
    if (typeof value === 'number') return `<c r="${name}"><v>${value}</v></c>`;
    if ('xml' in value) return value.xml.replaceAll('@', name);
    return `<c r="${name}" s="${value.style ?? 0}"><v>${value.number}</v></c>`;
  };
  const lines = rows.map((cells, at) => {
    const inner = cells.map((value, place) => cell(value, letterOf(place) + (at + 1))).join('');
    return `<row r="${at + 1}" ${rowAttributes[at] ?? ''}>${inner}</row>`;
  });
  return `${HEAD}<worksheet xmlns="${MAIN}">${before}<sheetData>${lines.join('')}</sheetData>${after}</worksheet>`;
}

/** The parts of a workbook. */
export function partsOf({ sheets, formats = [] }: TestWorkbook): Record<string, string> {
  const strings: string[] = [];
  const parts: Record<string, string> = {};
  for (const [at, sheet] of sheets.entries()) parts[`xl/worksheets/sheet${at + 1}.xml`] = sheetXml(sheet, strings);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const listed = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${escaped(name ?? `Sheet${at + 1}`)}" sheetId="${at + 1}" ${state ? `state="${state}"` : ''} r:id="rId${at + 1}"/>`,
  );
  const numFmts = formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escaped(code)}"/>`);
  const xfs = formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`);
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/></Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${RELATIONS}">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${RELATIONS}">${sheets
      .map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`))
      .join(
        '',
      )}${relation('rIdS', 'sharedStrings', 'sharedStrings.xml')}${relation('rIdF', 'styles', 'styles.xml')}</Relationships>`,
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${numFmts.join('')}</numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${xfs.join('')}</cellXfs></styleSheet>`,
    ...parts,
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}">${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
  };
}

/** An archive of such parts, really packed. */
export async function packed(parts: Readonly<Record<string, string | Uint8Array>>, options = {}): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, ...options });
  for (const [name, content] of Object.entries(parts)) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    await writer.add(name, new Uint8ArrayReader(bytes));
  }
  return writer.close();
}

/** A workbook's bytes; `change`: what becomes of its parts before they are packed. */
export async function workbookOf(
  workbook: TestWorkbook,
  change: (parts: Record<string, string>) => Record<string, string | Uint8Array> = (parts) => parts,
): Promise<Uint8Array> {
  return packed(change(partsOf(workbook)));
}
