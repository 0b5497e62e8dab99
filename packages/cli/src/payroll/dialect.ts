/** Delimiters that spreadsheets write. */
const DELIMITERS = [',', ';', '\t'] as const;

/** How a file's fields are separated, and which of its lines names the columns. */
export type Dialect = {
  readonly delimiter: string;
  /** From 1. */
  readonly headerLine: number;
};

/** What Excel writes in front of a file, and takes as its delimiter. */
const DECLARED = /^"?sep=([,;\t])"?$/i;

/**
 * The dialect of a CSV file, told from its first lines: what is between the names of columns that are known is between all fields. A
 * second delimiter would cut amounts such as 980,50 in two.
 */
export function dialectOf(text: string, known: readonly string[]): Dialect {
  const [first = '', second = ''] = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, 2);
  const declared = DECLARED.exec(first.trimEnd())?.[1];
  if (declared !== undefined) return { delimiter: declared, headerLine: 2 };
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
  return { delimiter: DELIMITERS[counts.indexOf(Math.max(...counts))] as string, headerLine: 1 };
}

/** A row without the empty fields at its end, beyond the first so many: spreadsheets write cells that were filled once. */
export function withoutEmptyEnd(record: readonly string[], least: number): readonly string[] {
  let length = record.length;
  while (length > least && record[length - 1]?.trim() === '') length -= 1;
  return length === record.length ? record : record.slice(0, length);
}
