/** What a figure is held to: itself, or as a multiple of its limit, at most or at least so much. */
export type Goal = { readonly most: number } | { readonly least: number };

/** A measured figure: `limit` is what the machine can do at the most, measured in the same run, and what that was. */
export type Figure = {
  readonly name: string;
  readonly measured: number;
  readonly unit: string;
  readonly limit?: { readonly value: number; readonly of: string };
  /** Of the measured figure. */
  readonly goal?: Goal;
  /** Of its multiple of the limit. */
  readonly ratio?: Goal;
};

/** A line of the report; without a goal nothing is judged. */
export type Row = Figure & { readonly verdict?: 'met' | 'missed' };

/** A measure of the bench: `quick` is a size that only shows that it works; `say` tells whoever waits what is being done. */
export type Measure = {
  readonly name: string;
  /** About how long it takes at its whole size, on two cores. */
  readonly minutes: number;
  run(quick: boolean, say: (text: string) => void): Promise<Row[]>;
};

const isMet = (value: number, goal: Goal): boolean => ('most' in goal ? value <= goal.most : value >= goal.least);

/** Judges a figure by its goals. What is not a number has missed them. */
export function judged(figure: Figure): Row {
  const { measured, limit, goal, ratio } = figure;
  if (goal === undefined && ratio === undefined) return figure;
  const holds =
    (goal === undefined || isMet(measured, goal)) &&
    (ratio === undefined || isMet(measured / (limit?.value ?? Number.NaN), ratio));
  return { ...figure, verdict: holds ? 'met' : 'missed' };
}

/** Three digits that count, or all before the point. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const places = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en', { maximumFractionDigits: Math.min(places, 6) });
}

const bound = (goal: Goal, unit: string): string =>
  'most' in goal ? `≤ ${digits(goal.most)}${unit}` : `≥ ${digits(goal.least)}${unit}`;

/** The cells of a row, as the table shows them. */
export function cellsOf({ name, measured, unit, limit, goal, ratio, verdict }: Row): string[] {
  const goals = [goal && bound(goal, unit), ratio && bound(ratio, '× the limit')].filter((text) => text !== undefined);
  const held =
    limit === undefined ? '' : `${digits(limit.value)}${unit}, ${limit.of}: ${digits(measured / limit.value)}×`;
  return [name, `${digits(measured)}${unit}`, held, goals.join(', '), verdict ?? ''];
}

/** The rows as a table in Markdown, which a terminal shows well enough. */
export function table(rows: readonly Row[]): string {
  const lines = [['measure', 'figure', 'limit, measured in the same run', 'goal', ''], ...rows.map(cellsOf)];
  const widths = lines[0]?.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const [heads, ...others] = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [heads, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...others].join('\n');
}
