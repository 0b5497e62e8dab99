// npm run test:random [-- --seed S]: the tests that draw by a seed, with one that nobody has tried, instead of the fixed one of the gate, and
// all cases where the gate plays a share of them. The seed is printed first; --seed repeats it.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { provideServices } from './services.mjs';
import { fail, install, run } from './setup.mjs';

const { values } = parseArgs({ options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) } } });
if (!/^\d+$/.test(values.seed)) fail('--seed takes a whole number.');
install();
for (const sentence of provideServices(['valkey', 'schemathesis', 'bankFiles'])) console.error(`✖ ${sentence}`);
console.log(`Seed ${values.seed}. To repeat: npm run test:random -- --seed ${values.seed}`);
const projects = ['service', 'unit', 'program', 'simulation', 'api', 'faults'].flatMap((name) => ['--project', name]);
const env = { PAYOUTS_TEST_SEED: values.seed, PAYOUTS_TEST_WHOLE: 'yes' };
// Of the tests on the whole chain, only those draw.
const code = run('npx', ['vitest', 'run', ...projects], env) || run('npx', ['vitest', 'run', 'test/e2e/cluster-'], env);
console.log(`Seed ${values.seed}: ${code === 0 ? 'all passed' : 'failed'}.`);
process.exit(code);
