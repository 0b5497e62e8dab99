// npm run withdrawals -- [--count N] [--seed S]
import { parseArgs } from 'node:util';
import { play } from './play.ts';
import { startStage } from './stage.ts';
import { verdictOf } from './verdict.ts';

const MOST = 5_000;
const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const whole = (name: string, text: string, most: number): number => {
  if (/^[0-9]{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  console.error(`✖ --${name} takes a whole number from 1 to ${most}: ${text} is none.`);
  process.exit(2);
};
const [count, seed] = [whole('count', values.count, MOST), whole('seed', values.seed, 999_999_999)];

const began = performance.now();
const stage = await startStage(count, seed);
const windows = stage.withdrawals.length;
console.log(`${count} withdrawals of ${stage.people.length} recipients after ${windows} windows, seed ${seed}`);
let isFine = false;
try {
  const played = await play(stage, console.log);
  const { withdrawals, double, lost, problems } = await verdictOf(stage, count);
  const hit = played.frozen + played.dropped;
  console.log(
    `payouts that failed: ${played.frozen} to frozen wallets and ${played.dropped} on their way, ` +
      `${Math.round((hit / count) * 100)} %; withdrawals that waited for another: ${played.failed}`,
  );
  console.log(`killed: ${played.died}; payouts sent again: ${played.replayed}; confirmed again: ${played.confirmed}`);
  console.log(`${((performance.now() - began) / 1_000).toFixed(0)} s`);
  for (const problem of problems) console.error(`✖ ${problem}`);
  isFine = double + lost + problems.length === 0;
  if (!isFine) console.error(`logs: ${await stage.keepLogs()}`);
  console.log(`${withdrawals} withdrawals, ${double} double, ${lost} lost`);
} catch (error) {
  console.error(`✖ ${(error as Error).message}\nlogs: ${await stage.keepLogs()}`);
} finally {
  await stage.stop();
}
process.exit(isFine ? 0 : 1);
