/** Seconds of the units that always have as many. */
export const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

const DURATION = /^(\d{1,9})(s|m|h|d|w)$/;

/** Seconds of a duration such as 30s, 10m, 2h, 1d or 2w; undefined for anything else. */
export function secondsIn(text: string): number | undefined {
  const parts = DURATION.exec(text.trim());
  return parts === null ? undefined : Number(parts[1]) * (SECONDS[parts[2] as string] as number);
}

const LONGER = Object.entries({ w: 'week', d: 'day', h: 'hour', m: 'minute' }).map(
  ([unit, name]) => [name, SECONDS[unit] as number] as const,
);

/** A number of seconds in words: "3 days", "90 minutes". */
export function durationText(seconds: number): string {
  const [name, length] = LONGER.find(([, each]) => seconds >= each && seconds % each === 0) ?? ['second', 1];
  const count = seconds / length;
  return count === 1 ? `1 ${name}` : `${count} ${name}s`;
}
