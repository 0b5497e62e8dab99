import { type Flooded, keptOut } from './floods/floods.ts';
import type { Result } from './run.ts';

const SIGNS = { refused: '  ', otherwise: '? ', succeeded: '✖ ' } as const;

/** A line about one attack. */
export const lineOf = ({ attack, verdict }: Result): string =>
  `${SIGNS[verdict.outcome]}${attack.name} | ${attack.expected} | ${verdict.seen}`;

const percentile = (sorted: readonly number[], part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);

const timesOf = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.99, 1].map((part) => percentile(sorted, part)).join(' / ');
};

/** The figures of floods, a line each. */
export function tableOf(all: readonly Flooded[]): string {
  const head =
    '| flood of | health, ms: half / 99 % / slowest | without its wait for a processor | honest health, reads, signed reads, registrations, streams | connections of the flood, ms of processor |';
  const rows = all.map(({ flood, health, own, honest, opened, processor }) => {
    const answered = Object.values(honest).map(
      ({ answered, of, again }) => `${answered} of ${of}${again === 0 ? '' : ` (asked again ${again} times)`}`,
    );
    return `| ${flood} | ${timesOf(health)} | ${timesOf(own)} | ${answered.join(', ')} | ${opened}, ${processor.toFixed(0)} |`;
  });
  return [head, '|---|---|---|---|---|', ...rows].join('\n');
}

/** A line about one flood. */
export function floodLine(flooded: Flooded): string {
  const wrong = keptOut(flooded);
  return `${wrong.length === 0 ? '  ' : '✖ '}a flood of ${flooded.flood} | everybody else is served | ${wrong.join('; ') || 'they were'}`;
}
