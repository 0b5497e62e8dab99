import Papa, { type ParseError } from 'papaparse';
import { dialectOf } from './dialect.ts';
import { PayrollError } from './problems.ts';
import type { Row, Slice } from './table.ts';

/** Rows that are read in a few milliseconds. */
const SLICE_ROWS = 2_000;

const STRUCTURE: Partial<Record<ParseError['code'], string>> = {
  MissingQuotes: 'A quotation mark is opened and never closed.',
  InvalidQuotes: 'Something follows a closing quotation mark. Write quotation marks within a field twice.',
};

/** The rows of a CSV file that are not empty; `named`: headers that are known beside the usual ones. Throws `PayrollError` not-csv. */
export function* csvRows(text: string, named: readonly string[]): Generator<Slice> {
  const { delimiter, begins, headerLine } = dialectOf(text, named);
  let [at, line] = [begins, headerLine];
  while (at < text.length) {
    // The end of a line is told from what is there, once for each slice; what is left at its end is trimmed with the cells.
    const rest = text.slice(at);
    const { data, errors, meta } = Papa.parse<string[]>(rest, {
      delimiter,
      newline: '\n',
      fastMode: false,
      preview: SLICE_ROWS,
    });
    const rows: Row[] = [];
    const faulty = errors[0];
    for (const [place, cells] of data.entries()) {
      if (faulty?.row === place) throw notCsv(faulty, line);
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells });
      line += 1;
      for (const cell of cells) if (cell.includes('\n')) line += cell.split('\n').length - 1;
    }
    if (faulty !== undefined) throw notCsv(faulty, line);
    at = meta.truncated ? at + meta.cursor : text.length;
    yield { rows, part: at / text.length };
  }
}

function notCsv({ code }: ParseError, line: number): PayrollError {
  const message = STRUCTURE[code] ?? `The line is not valid CSV (${code}).`;
  return new PayrollError([{ code: 'not-csv', line, message }]);
}
