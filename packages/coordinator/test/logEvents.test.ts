import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const sources = fileURLToPath(new URL('../src', import.meta.url));
const monitoring = fileURLToPath(new URL('../../../docs/operating/monitoring.md', import.meta.url));

/** The text of a call's arguments; `text` begins behind its parenthesis. */
function argumentsOf(text: string): string {
  let depth = 1;
  let quote = '';
  for (let place = 0; place < text.length; place++) {
    const letter = text.charAt(place);
    if (letter === '\\') place += 1;
    else if (quote !== '') quote = letter === quote ? '' : quote;
    else if (/['"`]/.test(letter)) quote = letter;
    else if (/[([{]/.test(letter)) depth += 1;
    else if (/[)\]}]/.test(letter)) depth -= 1;
    if (depth === 0) return text.slice(0, place);
  }
  return text;
}

/** Levels and messages of a file's log lines: the message is the last text of the call. */
function linesOf(source: string): [level: string, message: string][] {
  const calls = source.matchAll(/\b(?:log|engine)\.(trace|debug|info|warn|error|fatal)\(/g);
  return [...calls].map((call): [string, string] => {
    const written = argumentsOf(source.slice(call.index + call[0].length));
    const message = /(?:^|,\s*)(?:'([^']*)'|"([^"]*)"),?\s*$/.exec(written);
    return [
      call[1] ?? '',
      message?.[1] ?? message?.[2] ?? `a message that this test can't read: ${written.slice(-60)}`,
    ];
  });
}

it('has every line of the log in the documentation', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const lines = files.flatMap((name) => linesOf(readFileSync(join(sources, name), 'utf8')));
  expect(lines.length).toBeGreaterThan(40);
  const rows = readFileSync(monitoring, 'utf8').matchAll(/^\| ([a-z, ]+) \| `([^`]+)` \|/gm);
  const documented = new Set(
    [...rows].flatMap(([, levels = '', message]) => levels.split(', ').map((level) => `${level} ${message}`)),
  );
  const written = new Set(lines.map(([level, message]) => `${level} ${message}`));
  expect([...written].filter((line) => !documented.has(line))).toEqual([]);
  expect([...documented].filter((line) => !written.has(line))).toEqual([]);
});
