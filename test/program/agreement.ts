/**
 * npm run program:agreement [-- --trees N --dates M --seed S]: the client's trees and calendar against the program's own, compiled for
 * this machine. The same seed and numbers ask the same again.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Random } from '@payouts/testing/random';
import { askDates } from './agreement/dates.ts';
import { Rules } from './agreement/rules.ts';
import { TreeCases } from './agreement/trees.ts';

const MOST_SHOWN = 20;

const { values } = parseArgs({
  options: {
    binary: { type: 'string', default: '' },
    trees: { type: 'string', default: '10000' },
    dates: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
  },
});
const [trees, dates, seed] = [Number(values.trees), Number(values.dates), Number(values.seed)];
if (![trees, dates, seed].every(Number.isSafeInteger)) throw new TypeError('--trees, --dates and --seed are numbers.');

const rules = new Rules(values.binary);
const random = new Random(seed);
const cases = new TreeCases(rules, random);
console.log(`seed ${seed}`);
const edges = await cases.edges();
console.log(`${edges} edge trees asked, now ${trees} random ones and ${dates} dates`);
await cases.random(trees);
await askDates(rules, random, dates);
await rules.end();

const { disagreements } = rules;
for (const disagreement of disagreements.slice(0, MOST_SHOWN)) console.error(`✖ seed ${seed}, ${disagreement}`);
console.log(`${trees} trees, ${dates} dates, ${disagreements.length} disagreements`);
if (disagreements.length > 0) process.exitCode = 1;
