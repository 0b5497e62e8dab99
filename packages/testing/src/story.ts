import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Moment, SIZE } from './terminal.ts';

/** Pixels of a character's cell in a monospaced font, and around the text. */
const CELL = { width: 8.4, height: 18, font: 14 };
const MARGIN = 14;
const SECONDS_EACH = 5;
const IN_WIDTH = new RegExp(`.{1,${SIZE.columns}}`, 'gu');
/** A command is broken between its words, as somebody would type it. */
const WORDS_IN_WIDTH = new RegExp(`.{1,${SIZE.columns - 6}}(?: |$)`, 'gu');
const COLOURS = { ground: '#15181c', text: '#d7dce1', faint: '#5b6670' };

/** Writes a recording of a terminal as asciinema reads it (v2), and a picture of its screens, one after the other. */
export function writeStory(folder: string, moments: readonly Moment[], screens: readonly (readonly string[])[]): void {
  const head = { version: 2, width: SIZE.columns, height: SIZE.lines, title: 'payout: an employer’s story' };
  const lines = [head, ...moments].map((line) => JSON.stringify(line));
  writeFileSync(join(folder, 'payout.cast'), `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'payout.svg'), pictureOf(screens));
}

/** An SVG that shows each screen for a while; a still reader sees the first one. */
function pictureOf(screens: readonly (readonly string[])[]): string {
  const wrapped = screens.map(([command = '', ...lines]) => [
    ...inLines(command),
    ...lines.flatMap((line) => line.match(IN_WIDTH) ?? ['']),
  ]);
  const tallest = Math.max(...wrapped.map((lines) => lines.length));
  const [width, height] = [SIZE.columns * CELL.width + 2 * MARGIN, tallest * CELL.height + 2 * MARGIN];
  const whole = screens.length * SECONDS_EACH;
  const share = 100 / screens.length;
  const frames = wrapped.map((lines, place) => {
    const rows = lines.map((line, row) => {
      const y = Math.round(MARGIN + (row + 0.8) * CELL.height);
      return line === '' ? '' : `<text x="${MARGIN}" y="${y}">${escaped(line)}</text>`;
    });
    const delay = place * SECONDS_EACH;
    return `<g class="frame" style="animation-delay:${delay}s${place === 0 ? ';opacity:1' : ''}">${rows.join('')}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="payout in a terminal">
<style>text{font:${CELL.font}px ui-monospace,Menlo,Consolas,monospace;fill:${COLOURS.text};white-space:pre}
.frame{opacity:0;animation:show ${whole}s step-end infinite}
@keyframes show{0%{opacity:1}${share.toFixed(3)}%{opacity:0}}
@media (prefers-reduced-motion:reduce){.frame{animation:none}}</style>
<rect width="${width}" height="${height}" rx="8" fill="${COLOURS.ground}" stroke="${COLOURS.faint}"/>
${frames.join('\n')}
</svg>
`;
}

function inLines(command: string): string[] {
  if (command.length <= SIZE.columns) return [command];
  const parts = (command.match(WORDS_IN_WIDTH) ?? []).map((part) => part.trimEnd());
  return parts.map((part, at) => `${at > 0 ? '    ' : ''}${part}${at < parts.length - 1 ? ' \\' : ''}`);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (line: string): string => line.replace(/[&<>]/g, (character) => ENTITIES[character] as string);
