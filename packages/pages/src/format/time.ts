const SECOND = 1_000;
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400 * SECOND],
  ['hour', 3_600 * SECOND],
  ['minute', 60 * SECOND],
  ['second', SECOND],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const near = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const far = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const farther = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** "in 3 min.", "12 sec. ago", "now"; unix milliseconds. */
export function relativeText(at: number, now: number): string {
  const away = at - now;
  for (const [unit, size] of UNITS) {
    if (Math.abs(away) >= size) return relative.format(Math.trunc(away / size), unit).replaceAll('.', '');
  }
  return 'now';
}

/** In the reader's time zone: the time of a near day, the day of a far one. */
export function localText(at: number, now: number): string {
  const away = Math.abs(at - now);
  if (away < 43_200 * SECOND) return near.format(at);
  return away < 180 * 86_400 * SECOND ? far.format(at) : farther.format(at);
}

/** "2026-11-22 13:04:05 UTC". */
export const utcText = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A length of time with two figures that matter: "840 ms", "1.85 s", "3 min 20 s", "2 h 5 min", "3 days 4 h". */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 60 * SECOND) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 2 : 1)} s`;
  const seconds = Math.round(ms / SECOND);
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600), Math.floor(seconds / 86_400)];
  if (hours === 0) return withRest(`${minutes} min`, seconds % 60, 's');
  if (days === 0) return withRest(`${hours} h`, minutes % 60, 'min');
  return withRest(days === 1 ? '1 day' : `${days} days`, hours % 24, 'h');
}

const withRest = (text: string, rest: number, unit: string): string => (rest === 0 ? text : `${text} ${rest} ${unit}`);
