import { Command } from 'commander';
import { summaryTable } from '../report/summary.ts';
import { writeReport } from '../report/write.ts';
import { runInChild } from './child.ts';
import { machine, machineText } from './machine.ts';
import type { Reported } from './measure.ts';
import { MEASURES } from './measures.ts';
import { runShort } from './short.ts';

const names = MEASURES.map(({ name }) => name);

/** Runs every measure, one after the other, and prints one table at the end. Returns the exit code. */
export async function runAll(args: readonly string[]): Promise<number> {
  const { out, check, short, update } = new Command('npm run bench --')
    .description('Measures everything that has a goal, each figure beside a limit of the same run.')
    .option('--out <folder>', 'where report and figures are written', '.bench')
    .option('--check', 'end with 1 if a goal is missed', false)
    .option(
      '--short',
      'only a few minutes: compares ratios with bench/expected.json, ends with 1 if one got a third worse',
      false,
    )
    .option('--update', 'with --short: writes the ratios to bench/expected.json instead', false)
    .addHelpText(
      'after',
      `\nOne alone, with options of its own: npm run bench -- NAME [--help]\nNAME: ${names.join(', ')}`,
    )
    .parse(args, { from: 'user' })
    .opts<{ out: string; check: boolean; short: boolean; update: boolean }>();
  if (short) return runShort(update);

  const minutes = MEASURES.reduce((sum, measure) => sum + measure.minutes, 0);
  console.log(`${MEASURES.length} measures, about ${Math.round(minutes)} minutes, on ${machineText(machine())}`);
  const reported: Reported[] = [];
  const failed: string[] = [];
  for (const [place, measure] of MEASURES.entries()) {
    const { name, what } = measure;
    console.log(`\n[${place + 1} of ${MEASURES.length}] ${name}: ${what} About ${minutesText(measure.minutes)}.`);
    const result = await runInChild(measure, []);
    if (result === undefined) failed.push(name);
    else reported.push({ name, what, result });
    // Written each time: whoever breaks this off keeps what is done.
    writeReport(out, reported);
  }
  const rows = reported.flatMap(({ result }) => result.rows);
  console.log(`\n${summaryTable(rows)}\n`);
  const missed = rows.filter(({ verdict }) => verdict === 'missed').length;
  const met = rows.filter(({ verdict }) => verdict === 'met').length;
  console.log(`${met} goals met, ${missed} missed. Report: ${out}/report.md`);
  if (failed.length > 0) console.error(`✖ These could not be measured, see above: ${failed.join(', ')}.`);
  return failed.length > 0 || (check && missed > 0) ? 1 : 0;
}

const minutesText = (minutes: number): string =>
  minutes < 1
    ? `${Math.round(minutes * 60)} seconds`
    : `${Math.round(minutes)} minute${Math.round(minutes) === 1 ? '' : 's'}`;
