import { KNOWN_WORDS, normalised } from './columns.ts';

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
 * The dialect of a CSV file, told from its first lines: what is between the headers that are known is between all fields, and if none
 * is, what there is most of. A second delimiter would cut amounts such as 980,50 in two. `named`: headers beside the usual ones.
 */
export function dialectOf(text: string, named: readonly string[]): Dialect {
  const [first = '', second = ''] = text.slice(0, HEADER_LENGTH).split('\n', 2);
  const declared = DECLARED.exec(first.trimEnd())?.[1];
  if (declared !== undefined) return { delimiter: declared, headerLine: 2, begins: first.length + 1 };
  const header = first === '' ? second : first;
  const wanted = new Set(named.map(normalised));
  const counts = DELIMITERS.map((delimiter) => {
    const words = header.split(delimiter).map(normalised);
    const known = words.filter((word) => KNOWN_WORDS.has(word) || wanted.has(word)).length;
    return { delimiter, known, words: words.length };
  });
  counts.sort((one, other) => other.known - one.known || other.words - one.words);
  return { delimiter: (counts[0] as { delimiter: string }).delimiter, headerLine: 1, begins: 0 };
}
