import { parseArgs } from 'node:util';
import { HABITS } from './habits.ts';
import type { Summary } from './measure.ts';
import { roundTables } from './rounds/tables.ts';
import { type Result, simulate, type Wallets } from './simulate.ts';

// npm run exit:simulate -- [--seed S]
const POPULATIONS = [10, 100, 1_000, 10_000];
const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
const seed = Number(values.seed);
if (!Number.isInteger(seed)) {
  console.error('✖ --seed takes a whole number: npm run exit:simulate -- --seed 1');
  process.exit(2);
}

/** 2^entropy is 1 at least: what is below is rounding. */
const number = (value: number) => (value < 9.95 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
const cell = ({ median, fifth, right }: Summary) => `${number(median)} / ${number(fifth)} / ${share(right)}`;
const share = (right: number) => {
  const percent = 100 * right;
  return `${percent < 0.095 ? '<0.1' : percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
};

function table(results: ReadonlyMap<string, Result>, wallets: Wallets, side: keyof Result): void {
  console.log(`| habit | ${POPULATIONS.map((people) => `${people.toLocaleString('en')} people`).join(' | ')} |`);
  console.log(`|---|${POPULATIONS.map(() => '---').join('|')}|`);
  for (const { name } of HABITS) {
    const cells = POPULATIONS.map((people) => cell((results.get(`${name} ${people} ${wallets}`) as Result)[side]));
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

const progress = (what: string) => console.error(`… ${what}`);
const inRounds = roundTables(seed, progress);
const results = new Map<string, Result>();
for (const wallets of ['fresh', 'reused'] as const) {
  for (const habit of HABITS) {
    progress(`${habit.name}, ${wallets} wallets`);
    for (const people of POPULATIONS) {
      results.set(`${habit.name} ${people} ${wallets}`, simulate(habit, people, wallets, seed));
    }
  }
}
console.log(`seed ${seed}\n\n${inRounds}\n`);
console.log(
  `Today’s habits; each cell: median / 5th percentile of the effective set / share of best guesses that are right\n`,
);
for (const [wallets, what] of [
  ['fresh', 'a fresh wallet for each withdrawal'],
  ['reused', 'one wallet for all of six months'],
] as const) {
  console.log(`Whose is this ${wallets === 'fresh' ? 'withdrawal' : 'wallet'}? ${what}\n`);
  table(results, wallets, 'exits');
  console.log(`\nWhich ${wallets === 'fresh' ? 'withdrawal' : 'wallet'} is this person's? ${what}\n`);
  table(results, wallets, 'people');
  console.log();
}
