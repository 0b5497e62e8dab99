import type { Metrics } from '../platform/metrics.ts';

type Described = {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly labelNames?: readonly string[];
};

const TYPES = ['counter', 'gauge', 'histogram', 'summary'];
const ROW = /[|\n]/g;

/** The library tells the type by its name or by its place in a list. */
const typeText = (type: unknown): string => (typeof type === 'number' ? (TYPES[type] ?? '') : String(type));

/** Every metric with its labels as a table in Markdown: the content of docs/reference/metrics.md. */
export function metricsTable({ registry }: Metrics): string {
  const rows = (registry.getMetricsAsArray() as unknown as Described[]).map(({ name, help, type, labelNames = [] }) => {
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${typeText(type)} | ${labels} | ${help.replaceAll(ROW, ' ')} |`;
  });
  return ['| metric | type | labels | |', '|---|---|---|---|', ...rows].join('\n');
}
