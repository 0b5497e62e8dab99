import { PayrollError, type PayrollProblem, unreadable } from '../problems.ts';
import type { Slice, Table } from '../table.ts';
import type { Attributes } from '../xml.ts';
import { Archive, damaged, encrypted } from './archive.ts';
import { formatOf, type NumberFormat } from './formats.ts';
import { readPart } from './part.ts';
import { readSheet, type Sheet, type SheetContext, unescaped } from './sheet.ts';

/** A sheet as the workbook lists it. */
type Listed = { readonly name: string; readonly isHidden: boolean; readonly relation: string };
type Relation = { readonly id: string; readonly type: string; readonly target: string };

/** Rows that are taken in a few milliseconds. */
const SLICE_ROWS = 2_000;
/** Where an older program, or one that encrypts, puts everything into one file of its own kind. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0];
const ENCRYPTED_PART = 'EncryptedPackage';

const beginsWith = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, at) => bytes[at] === byte);

/**
 * The one sheet of a workbook (.xlsx) that has a payroll: `wanted`, or the only one that is shown and has values. Throws `PayrollError`.
 */
export async function readWorkbook(bytes: Uint8Array, wanted: string | undefined): Promise<Table> {
  if (beginsWith(bytes, OLE)) throw ofOldKind(bytes);
  const archive = await Archive.open(bytes);
  const main = await mainPart(archive);
  const relations = await relationsOf(archive, main);
  const partOf = (type: string) => relations.find((each) => each.type.endsWith(`/${type}`))?.target;
  const context: SheetContext = {
    strings: await stringsOf(archive, partOf('sharedStrings')),
    formats: await formatsOf(archive, partOf('styles')),
  };
  const listed = await listedSheets(archive, main);
  const open = ({ relation }: Listed): Promise<Sheet> => {
    const target = relations.find(({ id, type }) => id === relation && type.endsWith('/worksheet'))?.target;
    // Sheets of charts have no cells.
    return target === undefined ? Promise.resolve(EMPTY) : readSheet(archive, target, context);
  };
  const { rows, hiddenColumns, merged } = await chosen(listed, wanted, open);
  return { slices: slicesOf(rows), sheet: { hiddenColumns, merged, doubts: unreadSheets(listed) } };
}

const EMPTY: Sheet = { rows: [], hiddenColumns: [], merged: [] };

function* slicesOf(rows: Sheet['rows']): Generator<Slice> {
  for (let at = 0; at < rows.length; at += SLICE_ROWS) {
    yield { rows: rows.slice(at, at + SLICE_ROWS), part: Math.min(1, (at + SLICE_ROWS) / rows.length) };
  }
}

function ofOldKind(bytes: Uint8Array): PayrollError {
  // Names in such a file are UTF-16.
  const name = [...ENCRYPTED_PART].flatMap((letter) => [letter.charCodeAt(0), 0]);
  const isEncrypted = bytes.some(
    (byte, at) => byte === name[0] && beginsWith(bytes.subarray(at, at + name.length), name),
  );
  if (isEncrypted) return encrypted();
  return unreadable('workbook-old', 'The workbook is of an older kind (.xls). Save it as .xlsx or as CSV.');
}

/** The part that lists the sheets. */
async function mainPart(archive: Archive): Promise<string> {
  const found = (await relationsOf(archive, '')).find(({ type }) => type.endsWith('/officeDocument'))?.target;
  if (found === undefined || !archive.has('[Content_Types].xml')) throw notWorkbook();
  let kind = '';
  await readPart(archive, '[Content_Types].xml', {
    open: (name, depth, attributes) => {
      const part = attributes.PartName;
      if (name === 'Override' && depth === 2 && part?.toLowerCase() === `/${found}`.toLowerCase())
        kind = attributes.ContentType ?? '';
      if (name === 'Default' && depth === 2 && kind === '' && found.endsWith(`.${attributes.Extension}`))
        kind = attributes.ContentType ?? '';
    },
  });
  if (/macroEnabled/i.test(kind)) {
    throw unreadable('workbook-macros', 'The workbook has macros, which may change what it shows. Save it as .xlsx.');
  }
  if (!/spreadsheetml\.(?:sheet|template)\.main\+xml$/.test(kind)) throw notWorkbook();
  return found;
}

const notWorkbook = (): PayrollError =>
  unreadable('not-workbook', 'The file is neither CSV nor a workbook (.xlsx). Save it as one of them.');

/** What a part refers to, with whole names of parts; `part` empty: what the whole workbook does. */
async function relationsOf(archive: Archive, part: string): Promise<Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const relations: Relation[] = [];
  await readPart(archive, `${folder}_rels/${part.slice(folder.length)}.rels`, {
    open: (name, depth, attributes) => {
      if (name !== 'Relationship' || depth !== 2 || attributes.TargetMode === 'External') return;
      const [id, type, target] = ['Id', 'Type', 'Target'].map((each) => attributes[each] ?? '');
      relations.push({ id: id as string, type: type as string, target: partName(folder, target as string) });
    },
  });
  return relations;
}

/** A part's name as it is seen from a folder. */
function partName(folder: string, target: string): string {
  const base = `part:/${folder}`;
  if (!URL.canParse(target, base)) throw damaged('a part has no name');
  return new URL(target, base).pathname.slice(1);
}

async function stringsOf(archive: Archive, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  let [text, isSpoken] = ['', false];
  await readPart(archive, part ?? '', {
    open: (name, depth) => {
      if (depth === 2) text = '';
      if (depth === 3) isSpoken = name === 'rPh';
    },
    close: (name, depth, own) => {
      if (name === 't' && (depth === 3 || (depth === 4 && !isSpoken))) text += own;
      if (name === 'si' && depth === 2) strings.push(unescaped(text));
    },
  });
  return strings;
}

/** How each style of cells shows numbers. */
async function formatsOf(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const [codes, formats]: [Map<number, string>, NumberFormat[]] = [new Map(), []];
  let section = '';
  await readPart(archive, part ?? '', {
    open: (name, depth, attributes) => {
      if (depth === 2) section = name;
      if (depth !== 3) return;
      const id = Number(attributes.numFmtId ?? 0);
      if (name === 'numFmt') codes.set(id, attributes.formatCode ?? '');
      if (name === 'xf' && section === 'cellXfs') formats.push(formatOf(id, codes.get(id)));
    },
  });
  return formats.length === 0 ? [formatOf(0)] : formats;
}

async function listedSheets(archive: Archive, part: string): Promise<Listed[]> {
  const sheets: Listed[] = [];
  await readPart(archive, part, {
    open: (name, depth, attributes) => {
      if (name !== 'sheet' || depth !== 3) return;
      sheets.push({
        name: attributes.name ?? '',
        isHidden: (attributes.state ?? 'visible') !== 'visible',
        relation: relationId(attributes),
      });
    },
  });
  if (sheets.length === 0) throw damaged('it has no sheets');
  return sheets;
}

/** Of the attribute `r:id`, whatever its prefix. */
const relationId = (attributes: Attributes): string =>
  Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';

async function chosen(
  listed: readonly Listed[],
  wanted: string | undefined,
  open: (sheet: Listed) => Promise<Sheet>,
): Promise<Sheet> {
  const choices = listed.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  if (wanted !== undefined) {
    const found = listed.find(({ name, isHidden }) => name === wanted && !isHidden);
    if (found !== undefined) return open(found);
    const message = 'The workbook shows no sheet of that name.';
    throw new PayrollError([{ code: 'sheet-unknown', message, question: { option: 'sheet', choices } }]);
  }
  const filled: { readonly name: string; readonly sheet: Sheet }[] = [];
  for (const each of listed) {
    if (each.isHidden) continue;
    const sheet = await open(each);
    if (sheet.rows.length > 0) filled.push({ name: each.name, sheet });
  }
  if (filled.length < 2) return filled[0]?.sheet ?? EMPTY;
  const message = `The workbook has ${filled.length} sheets with values. Say which one is the payroll, or keep only that one in it.`;
  const question = { option: 'sheet', choices: filled.map(({ name }) => name) } as const;
  throw new PayrollError([{ code: 'sheet-unclear', message, question }]);
}

function unreadSheets(listed: readonly Listed[]): PayrollProblem[] {
  const hidden = listed.filter(({ isHidden }) => isHidden).length;
  if (hidden === 0) return [];
  const what = hidden === 1 ? 'a hidden sheet, which is' : `${hidden} hidden sheets, which are`;
  return [{ code: 'sheet-hidden', message: `The workbook has ${what} not read.` }];
}
