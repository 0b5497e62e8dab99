import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Columns that a line has at most. */
export const WIDTH = 80;

/** Text in a style, if the stream is a terminal and nobody has asked for none (https://no-color.org). */
function styled(stream: NodeJS.WriteStream, style: Style, text: string): string {
  return stream.isTTY && !process.env.NO_COLOR ? styleText(style, text) : text;
}

/** A word that stands out among what a command prints. */
export const bold = (text: string): string => styled(process.stdout, 'bold', text);
/** What matters less. */
export const dim = (text: string): string => styled(process.stdout, 'dim', text);

/** Prints a line of a command's result. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Prints sentences of a command's result, in lines that fit a terminal. */
export function say(sentences: string): void {
  for (const line of wrapped(sentences)) print(line);
}

/** Prints a command's result for programs: one JSON document, amounts as decimal text. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part), 2));
}

/** Prints what a command found or did: JSON where programs read it, else lines. */
export function printResult({ json }: { readonly json?: true }, value: unknown, ...lines: readonly string[]): void {
  if (json) printJson(value);
  else for (const line of lines) print(line);
}

/** Prints a finding: a line of JSON where programs read it, else text. */
export function write({ json }: { readonly json?: true }, value: unknown, text: string): void {
  print(json ? JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part)) : text);
}

/** Tells what is going on, beside the result: on standard error, so that the result can be piped. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Tells what to look out for. */
export const warn = (sentence: string): void => tellMarked(styled(process.stderr, 'yellow', '!'), sentence);

/** Tells what went wrong. */
export const tellFailure = (sentence: string): void => tellMarked(styled(process.stderr, 'red', '✖'), sentence);

const tellMarked = (mark: string, sentence: string): void => tell(marked(mark, sentence));

/** Sentences behind a mark, in lines that fit a terminal. */
export function marked(mark: string, sentences: string): string {
  const [first = '', ...rest] = wrapped(sentences, WIDTH - 2);
  return [`${mark} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n');
}

/** A text in lines of at most `width` columns, broken between words. */
export function wrapped(text: string, width = WIDTH): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** Sentences in lines that fit a terminal; an address by itself is set in. */
export const sentenceLines = (sentences: readonly string[]): string[] =>
  sentences.flatMap((sentence) => (sentence.includes(' ') ? wrapped(sentence) : [`  ${sentence}`]));

/** Rows in columns as wide as their widest cell; those named by `right` are set flush right. A row of one cell is a line of its own. */
export function columns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    if (row.length === 1) continue;
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (right.includes(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
