/**
 * npm run program:agreement [-- --trees N --dates M --seed S]: the client's trees and calendar against the program's own, compiled for
 * this machine. The same seed and numbers ask the same again.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { askDates } from './agreement/dates.ts';
import { Random } from './agreement/random.ts';
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
const { binary, seed } = values;
const [trees, dates] = [Number(values.trees), Number(values.dates)];
if (!Number.isSafeInteger(trees) || !Number.isSafeInteger(dates))
  throw new TypeError('--trees and --dates are numbers.');

const rules = new Rules(binary);
const cases = new TreeCases(rules, new Random(`${seed} trees`));
console.log(`seed ${seed}`);
const edges = await cases.edges();
console.log(`${edges} edge trees asked, now ${trees} random ones and ${dates} dates`);
await cases.random(trees);
await askDates(rules, new Random(`${seed} dates`), dates);
await rules.end();

const { disagreements } = rules;
for (const disagreement of disagreements.slice(0, MOST_SHOWN)) console.error(`✖ seed ${seed}, ${disagreement}`);
console.log(`${trees} trees, ${dates} dates, ${disagreements.length} disagreements`);
if (disagreements.length > 0) process.exitCode = 1;
