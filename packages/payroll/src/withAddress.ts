import type { Address } from '@solana/kit';
import Papa from 'papaparse';
import { NAME_COLUMNS, takeColumns } from './columns.ts';
import { csvRows } from './csv.ts';
import { dialectOf } from './dialect.ts';
import { PayrollError, type PayrollProblemCode } from './problems.ts';
import type { Row } from './table.ts';
import { textOf } from './text.ts';

/** Whose address is written: of somebody by their name, who may be new, or of whoever is paid at an address now. */
export type Whose = { readonly name: string } | { readonly from: Address };

/** A payroll with an address written into it: how many lines have it, what was there before, and whether a line was added. */
export type WrittenAddress = {
  readonly text: string;
  readonly lines: number;
  /** Undefined: there was none. */
  readonly before: string | undefined;
  readonly isNew: boolean;
};

type Table = {
  readonly rows: readonly Row[];
  readonly recipient: number;
  readonly name: number | undefined;
  readonly width: number;
};

/** A payroll without anybody. */
export const EMPTY_PAYROLL = 'name,recipient,amount\n';

/**
 * Writes a recipient's address into a payroll in CSV; all other lines stay as they are. A name that no line has gets a line of its own, without an
 * amount, which nobody can promise before the employer has filled it in. Throws `PayrollError`, also where somebody else has the address already.
 */
export async function withAddress(content: Uint8Array | string, whose: Whose, to: Address): Promise<WrittenAddress> {
  const raw = await textOf(content);
  const { delimiter } = dialectOf(raw, []);
  const table = tableOf(raw);
  const own = table.rows.filter((row) => isOf(table, row, whose));
  const other = table.rows.find((row) => cell(row, table.recipient) === to && !own.includes(row));
  if (other !== undefined)
    throw problem('recipient-twice', 'The address is in another line of the payroll.', other.line);
  if ('name' in whose && own.length > 1) {
    throw problem('name-twice', 'Several lines have this name: make them tell apart who is meant.', own[1]?.line);
  }
  const isNew = own.length === 0;
  if (isNew && 'from' in whose) {
    throw problem('recipient-missing', 'No line of the payroll has the address that is paid today.');
  }
  const lines = raw.split('\n');
  const write = (cells: readonly string[], escapeFormulae = false) =>
    Papa.unparse([[...cells]], { delimiter, newline: '\n', escapeFormulae });
  // From the end on, so that the lines before keep their numbers.
  for (const row of own.toReversed()) {
    const cells = row.cells.map((text, place) => (place === table.recipient ? to : text));
    lines.splice(row.line - 1, row.cells.join('').split('\n').length, write(cells));
  }
  const before = own[0] && cell(own[0], table.recipient);
  if (isNew && 'name' in whose) {
    const isEnded = lines.at(-1) === '';
    lines.splice(isEnded ? -1 : lines.length, 0, write(newCells(table, whose.name, to), true));
  }
  return {
    text: asBefore(content, lines.join('\n')),
    lines: Math.max(1, own.length),
    before: before || undefined,
    isNew,
  };
}

function tableOf(text: string): Table {
  const rows = [...csvRows(text, [])].flatMap((slice) => slice.rows);
  const [header, ...others] = rows;
  if (header === undefined) throw problem('no-recipients', 'The payroll has no first line that names its columns.');
  const { taken } = takeColumns(header, others, ['recipient'], {}, NAME_COLUMNS);
  const placeOf = (wanted: string) => taken.find(({ column }) => column === wanted)?.place;
  return { rows: others, recipient: placeOf('recipient') as number, name: placeOf('name'), width: header.cells.length };
}

function isOf({ recipient, name }: Table, row: Row, whose: Whose): boolean {
  if ('from' in whose) return cell(row, recipient) === whose.from;
  return cell(row, nameIn(name)).normalize() === whose.name.trim().normalize();
}

function nameIn(place: number | undefined): number {
  if (place !== undefined) return place;
  throw problem('column-missing', 'No column of the payroll is named “name”, or has another word for it.');
}

const cell = ({ cells }: Row, place: number): string => (cells[place] ?? '').trim();

function newCells({ recipient, name, width }: Table, called: string, to: Address): string[] {
  const place = nameIn(name);
  return Array.from({ length: width }, (_, at) => {
    if (at === recipient) return to;
    return at === place ? called.trim() : '';
  });
}

/** With the mark at its beginning and the ends of lines that the file had. */
function asBefore(content: Uint8Array | string, text: string): string {
  const start = typeof content === 'string' ? content : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
  const ended = start.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
  return start.startsWith('\uFEFF') ? `\uFEFF${ended}` : ended;
}

const problem = (code: PayrollProblemCode, message: string, line?: number): PayrollError =>
  new PayrollError([{ code, message, ...(line !== undefined && { line }) }]);
