/** Windows of a payroll, these two among them; null: all on that side. */
export type WindowRange = { readonly from: bigint | null; readonly to: bigint | null };

export const ALL_WINDOWS: WindowRange = { from: null, to: null };

export const isIn = (window: bigint, { from, to }: WindowRange): boolean =>
  (from === null || from <= window) && (to === null || window <= to);

/** The windows that are in both. */
export const overlap = (one: WindowRange, other: WindowRange): WindowRange => ({
  from: one.from === null || (other.from !== null && other.from > one.from) ? other.from : one.from,
  to: one.to === null || (other.to !== null && other.to < one.to) ? other.to : one.to,
});

/** Windows that follow each other, both among them. */
export type WindowSpan = { readonly first: bigint; readonly last: bigint };

/** The windows of these ranges, up to the last one that is known of, that were not seen. */
export function missingWindows(ranges: readonly WindowRange[], seen: readonly bigint[], last: bigint): WindowSpan[] {
  const spans = ranges
    .map(({ from, to }) => ({ first: from ?? 0n, last: to === null || to > last ? last : to }))
    .filter((span) => span.first <= span.last);
  return seen.reduce((left, window) => left.flatMap((span) => without(span, window)), joined(spans));
}

function without({ first, last }: WindowSpan, window: bigint): WindowSpan[] {
  if (window < first || window > last) return [{ first, last }];
  return [
    { first, last: window - 1n },
    { first: window + 1n, last },
  ].filter((span) => span.first <= span.last);
}

/** Spans that share windows, or follow each other, as one. */
function joined(spans: readonly WindowSpan[]): WindowSpan[] {
  const all: WindowSpan[] = [];
  for (const span of [...spans].sort((one, other) => (one.first < other.first ? -1 : 1))) {
    const before = all.at(-1);
    if (before === undefined || span.first > before.last + 1n) all.push(span);
    else if (span.last > before.last) all[all.length - 1] = { first: before.first, last: span.last };
  }
  return all;
}

/** "window 3", "windows 3 to 5". */
export const spanText = ({ first, last }: WindowSpan): string =>
  first === last ? `window ${first}` : `windows ${first} to ${last}`;
