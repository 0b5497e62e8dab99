const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What differs from run to run, and what stands for it: in the order in which they are looked for. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  // A line that is left out, or several.
  [/\s*^[ \t]*…[ \t]*$\s*/m, '\\s(?:[\\s\\S]*?\\s)??'],
  // Shortened by the page or by the command itself.
  [/\S*[\w/]…\w*/, '\\S+'],
  [/[1-9A-HJ-NP-Za-km-z]{43,88}/, '[1-9A-HJ-NP-Za-km-z]{32,88}'],
  [/[0-9a-f]{16,64}/, '[0-9a-f]{16,64}'],
  [
    /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?/,
    '\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2})?(?:\\.\\d+)?Z?)?',
  ],
  [
    /\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{4})?/,
    '\\d{1,2} [A-Z][a-z]+(?: \\d{4})?',
  ],
];
const NUMBER: readonly [RegExp, string] = [/\d+(?:[,.]\d+)*/, '\\d+(?:[,.]\\d+)*'];

/**
 * The pattern of an output as a page shows it: its words must be there in this order; addresses, hashes and dates may be others, and
 * numbers too if told. Lines may break elsewhere.
 */
export function patternOf(printed: string, numbersVary: boolean): RegExp {
  const varying = numbersVary ? [...VARYING, NUMBER] : VARYING;
  const any = new RegExp(varying.map(([what]) => `(${what.source})`).join('|'), 'gm');
  let pattern = '';
  let at = 0;
  for (const found of printed.matchAll(any)) {
    pattern += escaped(printed.slice(at, found.index));
    pattern += varying[found.slice(1).findIndex((group) => group !== undefined)]?.[1] ?? '';
    at = found.index + found[0].length;
  }
  pattern += escaped(printed.slice(at));
  return new RegExp(`^\\s*${pattern.replaceAll(/\s+/g, '\\s+')}\\s*$`);
}
