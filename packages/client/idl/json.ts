const LINE_WIDTH = 120;

/** JSON as the repository's formatter writes it: a list of one text stands on its key's line where it fits. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    /^(.*)\[\n\s+("(?:[^"\\]|\\.)*")\n\s+\](,?)$/gm,
    (long: string, before: string, item: string, comma: string) => {
      const short = `${before}[${item}]${comma}`;
      return short.length <= LINE_WIDTH ? short : long;
    },
  );
  return `${text}\n`;
}
