import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { summaryTable } from '../report/summary.ts';
import { writeReport } from '../report/write.ts';
import { machine, machineText } from './machine.ts';
import type { Measure } from './measure.ts';

/** Runs one measure with its options and prints what it finds. Returns the exit code. */
export async function runOne(measure: Measure, args: readonly string[]): Promise<number> {
  const command = new Command(`npm run bench -- ${measure.name}`)
    .description(measure.what)
    .option('--json <file>', 'also write the figures there')
    .option('--out <folder>', 'also write a report there')
    .option('--check', 'end with 1 if a goal is missed', false);
  const options = measure.options(command).parse(args, { from: 'user' }).opts();
  const result = await measure.run(options as never, (text) => console.log(`  ${text}`));
  console.log(`\n${measure.name} on ${machineText(machine())}`);
  for (const { title, rows } of result.details ?? []) {
    console.log(`\n${title}`);
    console.table(rows);
  }
  console.log(`\n${summaryTable(result.rows)}`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
  if (options.out !== undefined) writeReport(options.out, [{ name: measure.name, what: measure.what, result }]);
  return options.check && result.rows.some(({ verdict }) => verdict === 'missed') ? 1 : 0;
}
