import { parseArgs } from 'node:util';
import { fuzz } from './run.ts';

// npm run program:fuzz -- --steps N --seed S
const { values } = parseArgs({ options: { steps: { type: 'string' }, seed: { type: 'string' } } });
const steps = Number(values.steps ?? 100_000);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
if (!Number.isInteger(steps) || steps < 1 || !Number.isInteger(seed) || seed < 0) {
  console.error('✖ Give whole numbers: npm run program:fuzz -- --steps 100000 --seed 1');
  process.exit(2);
}
console.log(`seed ${seed}`);
const started = Date.now();
let reported = started;
const { tally, violation, ...run } = await fuzz({
  steps,
  seed,
  onProgress(at) {
    if (Date.now() - reported < 10_000) return;
    reported = Date.now();
    console.log(`${at} steps, ${Math.round(at / ((reported - started) / 1_000))} a second`);
  },
});
console.log(`\n${tally}\n`);
// In fewer steps an instruction may well not have had its occasion.
const missing = steps >= 20_000 ? tally.missing : [];
if (violation !== undefined) console.error(`✖ ${violation}`);
if (missing.length > 0) console.error(`✖ never succeeded: ${missing.join(', ')}`);
console.log(`${Math.round(run.steps / ((Date.now() - started) / 1_000))} steps a second`);
console.log(`${run.steps} steps, ${violation === undefined ? 0 : 1} violations`);
process.exit(violation === undefined && missing.length === 0 ? 0 : 1);
