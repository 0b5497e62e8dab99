import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine, machineText } from '../runner/machine.ts';
import type { Details, Reported } from '../runner/measure.ts';
import { markdownTable, summaryMarkdown } from './summary.ts';
import { svgOf } from './svg.ts';

/** A table with its title. */
export function detailsMarkdown({ title, rows }: Details): string {
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return `${title}\n\n${markdownTable([heads, ...rows.map((row) => heads.map((head) => row[head] ?? ''))])}\n`;
}

/** Writes `report.md`, its pictures and `results.json` to a folder. */
export function writeReport(folder: string, reported: readonly Reported[]): void {
  mkdirSync(folder, { recursive: true });
  const where = machine();
  const at = new Date().toISOString();
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify({ at, machine: where, reported }, null, 2)}\n`);
  const parts = reported.map(({ name, what, result }) => {
    const plots = (result.plots ?? []).map((plot) => {
      writeFileSync(join(folder, `${plot.name}.svg`), svgOf(plot));
      return `![${plot.title}](${plot.name}.svg)\n`;
    });
    return [`## ${name}\n`, `${what}\n`, ...plots, ...(result.details ?? []).map(detailsMarkdown)].join('\n');
  });
  const page = [
    '# What it takes\n',
    `\`npm run bench\`, ${at.slice(0, 16).replace('T', ' ')} UTC, on ${machineText(where)}. Each figure stands beside a limit that was measured in the same run.\n`,
    `${summaryMarkdown(reported.flatMap(({ result }) => result.rows))}\n`,
    ...parts,
  ];
  writeFileSync(join(folder, 'report.md'), page.join('\n'));
}
