/** The width that the commands' texts fit. */
const COLUMNS = 80;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A duration in its largest unit, such as "3 h". */
export function lasting(milliseconds: number): string {
  const past = Math.max(0, milliseconds);
  if (past < 1_000) return `${Math.round(past)} ms`;
  if (past < MINUTE_MS) return `${Math.round(past / 100) / 10} s`;
  if (past < HOUR_MS) return `${Math.floor(past / MINUTE_MS)} min`;
  if (past < 2 * DAY_MS) return `${Math.floor(past / HOUR_MS)} h`;
  return `${Math.floor(past / DAY_MS)} days`;
}

/** When something was or will be, seen from `now`: "3 h ago", "in 5 min". Unix milliseconds. */
export const relative = (at: number, now: number): string =>
  at <= now ? `${lasting(now - at)} ago` : `in ${lasting(at - now)}`;

/** A time to the second, such as "2026-12-02 09:00:00"; UTC. Unix milliseconds. */
export const utc = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

/** The beginning and the end of what is too long for a line. */
export const shortened = (text: string): string => (text.length <= 20 ? text : `${text.slice(0, 8)}…${text.slice(-8)}`);

/** Lines of a text behind a heading, none longer than the width unless a word is. */
export function paragraph(heading: string, text: string): string[] {
  const indent = '  ';
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent.length + line.length + 1 + word.length > COLUMNS) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [heading, ...lines, indent + line];
}
