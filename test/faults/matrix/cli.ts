// npm run faults -- --seeds N [--seed FIRST] [--only POINT] [--kill KIND] [--alone] [--cluster]
import { parseArgs } from 'node:util';
import { caseOf, KILLS, POINTS } from './cases.ts';
import { explain, summaryOf, tableOf } from './report.ts';
import { isFine, playRound, type Result } from './round.ts';
import { MatrixWorld, ON_CLUSTER } from './world.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    kill: { type: 'string', multiple: true, default: [] },
    alone: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
  },
});

function refuse(sentence: string): never {
  console.error(`✖ ${sentence}`);
  process.exit(2);
}

const whole = (name: string, text: string): number =>
  /^[0-9]{1,9}$/.test(text) ? Number(text) : refuse(`--${name} takes a whole number: ${text} is none.`);

function chosen<T extends string>(name: string, from: readonly T[], wanted: readonly string[]): readonly T[] {
  for (const one of wanted) {
    if (!(from as readonly string[]).includes(one)) refuse(`--${name} has no "${one}": choose ${from.join(', ')}.`);
  }
  return wanted.length === 0 ? from : from.filter((one) => wanted.includes(one));
}

const [first, count] = [whole('seed', values.seed), whole('seeds', values.seeds)];
const points = chosen('only', POINTS, values.only);
const kills = chosen('kill', KILLS, values.kill);
const seeds = Array.from({ length: count }, (_, place) => first + place);
// By kind of death, so that coordinators are exchanged seldom.
const rounds = kills.flatMap((kill) =>
  seeds.flatMap((seed) => {
    const cases = points.map((point) => caseOf(seed, point, kill));
    return values.alone ? cases.map((one) => [one]) : [cases];
  }),
);
const all = rounds.reduce((sum, cases) => sum + cases.length, 0);
console.log(`${all} cases: ${points.length} points × ${kills.length} deaths × ${count} seeds`);

const matrix = await MatrixWorld.start(values.cluster ? ON_CLUSTER : {});
const results: Result[] = [];
try {
  for (const cases of rounds) {
    const began = performance.now();
    const played = await playRound(matrix, cases);
    results.push(...played);
    const seconds = (performance.now() - began) / 1_000;
    const failed = played.filter((result) => !isFine(result));
    const [one] = cases;
    console.log(
      `${String(results.length).padStart(String(all).length)} of ${all}  ${one?.kill}, seed ${one?.seed}: ` +
        `${played.length - failed.length} ok${failed.length > 0 ? `, ${failed.length} FAILED` : ''}, ` +
        `${seconds.toFixed(1)} s, ${(seconds / cases.length).toFixed(1)} s a case`,
    );
    const logs = failed.length > 0 ? await matrix.keepLogs() : '';
    for (const result of failed) console.error(explain(result, logs));
  }
} finally {
  await matrix.stop();
}
const resumed = results.flatMap((result) => result.resumed);
console.log(`\n${tableOf(results)}\n`);
if (resumed.length > 0) console.log(`resumed by the operator's command: ${resumed.join(', ')}`);
const failures = results.filter((result) => !isFine(result)).length;
if (failures > 0) console.error(`✖ ${failures} cases failed`);
console.log(summaryOf(results));
process.exit(failures === 0 ? 0 : 1);
