import type { Row } from '../runner/measure.ts';
import { digits, goalText, withUnit } from './format.ts';

const HEADS = ['measure', 'figure', 'limit, same run', 'ratio', 'goal', 'verdict'] as const;

function cellsOf({ measure, figure, unit, limit, limitName, ratio, goal, goalName, verdict }: Row): string[] {
  const held = limit === undefined ? (limitName ?? '') : `${withUnit(limit, unit)}: ${limitName ?? ''}`;
  return [
    measure,
    withUnit(figure, unit),
    held,
    ratio === undefined ? '' : `${digits(ratio)}×`,
    goalName ?? goalText(goal, unit),
    verdict,
  ];
}

/** The report's table for a terminal. */
export function summaryTable(rows: readonly Row[]): string {
  const lines = [[...HEADS], ...rows.map(cellsOf)];
  const widths = HEADS.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  const padded = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
  return [padded[0], widths.map((width) => '─'.repeat(width)).join('  '), ...padded.slice(1)].join('\n');
}

/** Any cells as a table in Markdown. */
export function markdownTable(lines: readonly (readonly (string | number)[])[]): string {
  const [heads = [], ...rows] = lines.map((line) => `| ${line.join(' | ')} |`);
  return [heads, `|${'---|'.repeat(lines[0]?.length ?? 0)}`, ...rows].join('\n');
}

export const summaryMarkdown = (rows: readonly Row[]): string => markdownTable([[...HEADS], ...rows.map(cellsOf)]);
