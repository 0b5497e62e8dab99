/** Delimiters that spreadsheets write. */
const DELIMITERS = [',', ';', '\t'] as const;

/** How a file's fields are separated, and where the line is that names the columns. */
export type Dialect = {
  readonly delimiter: string;
  /** Number of the line that names the columns, from 1. */
  readonly headerLine: number;
  /** Characters before that line. */
  readonly begins: number;
};

/** What Excel writes in front of a file, and takes as its delimiter. */
const DECLARED = /^"?sep=([,;\t])"?$/i;
/** What surely holds the first lines. */
const HEADER_LENGTH = 4_096;

/**
 * The dialect of a CSV file, told from its first lines: what is between the names of columns that are known is between all fields. A
 * second delimiter would cut amounts such as 980,50 in two.
 */
export function dialectOf(text: string, known: readonly string[]): Dialect {
  const [first = '', second = ''] = text.slice(0, HEADER_LENGTH).split('\n', 2);
  const declared = DECLARED.exec(first.trimEnd())?.[1];
  if (declared !== undefined) return { delimiter: declared, headerLine: 2, begins: first.length + 1 };
  const header = first === '' ? second : first;
  const counts = DELIMITERS.map((delimiter) => {
    const names = header.split(delimiter).map((name) =>
      name
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase(),
    );
    return names.filter((name) => known.includes(name)).length;
  });
  return { delimiter: DELIMITERS[counts.indexOf(Math.max(...counts))] as string, headerLine: 1, begins: 0 };
}

/** A row without the empty fields at its end, beyond the first so many: spreadsheets write cells that were filled once. */
export function withoutEmptyEnd(record: readonly string[], least: number): readonly string[] {
  let length = record.length;
  while (length > least && record[length - 1]?.trim() === '') length -= 1;
  return length === record.length ? record : record.slice(0, length);
}
