import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { detailsMarkdown } from '../report/write.ts';
import type { Reported } from '../runner/measure.ts';
import { missingOf } from './scenario.ts';
import { factsOf, modelOf } from './table.ts';

/** Prints the model from the figures of a run, as docs/internals/scale.md shows it. Returns the exit code. */
export function printModel(args: readonly string[]): number {
  const { from } = new Command('npm run bench -- model')
    .description('What a million recipients in 100,000 schedules need, reckoned from the figures of a run.')
    .option('--from <file>', 'figures of a run', '.bench/results.json')
    .parse(args, { from: 'user' })
    .opts<{ from: string }>();
  if (!existsSync(from)) {
    console.error(`\n✖ ${from} is not there: run npm run bench first, or name another run's figures with --from.`);
    return 1;
  }
  const { reported } = JSON.parse(readFileSync(from, 'utf8')) as { reported: readonly Reported[] };
  const missing = missingOf(factsOf(reported));
  if (missing.length > 0) {
    console.error(`\n✖ ${from} is of a run that lacks ${missing.join(', ')}: run npm run bench, all of it.`);
    return 1;
  }
  console.log(modelOf(reported).map(detailsMarkdown).join('\n'));
  return 0;
}
