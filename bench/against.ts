// npm run bench:against -- MAIN [--rounds 3]: what this checkout's coordinator takes beside another's (its built main.js), in turn, on the
// same ledgers and database. The other one has to understand this checkout's ledger program and settings.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { middle, payWindows } from './measures/windows.ts';
import { payTogether } from './parts/together.ts';
import { digits } from './row.ts';
import { median } from './statistics.ts';

const TOGETHER = { schedules: 300, recipients: 10, processes: [1, 1, 1] } as const;
const WINDOW = { recipients: 10_000, windows: 3 } as const;
/** By so much a figure is worse, where the ranges don't overlap either. */
const WORSE = 1.1;

type Figures = Record<string, number>;

async function measure(): Promise<Figures> {
  const together = await payTogether(TOGETHER);
  const { rate, processorMs, statements, ledgerCalls } = together.at(-1) as (typeof together)[number];
  const size = await payWindows(WINDOW);
  return {
    'a window of 10 among 300 due together, ms': 1_000 / rate,
    ...Object.fromEntries(Object.entries(processorMs).map(([part, ms]) => [`its processor time, ${part}, ms`, ms])),
    'its processor time, ms': Object.values(processorMs).reduce((sum, ms) => sum + ms, 0),
    'its statements': statements,
    'its calls to the ledgers': ledgerCalls,
    '10,000 known recipients, due to final, s': middle(size, 'known', 'dueToFinal'),
    '10,000 known recipients, stages, s': middle(size, 'known', 'stages'),
    '10,000 new recipients, stages, s': middle(size, 'new', 'stages'),
    'base transactions of that window': middle(size, 'known', 'baseTransactions'),
    'compute units of that window': middle(size, 'known', 'units'),
    'peak memory of the coordinator, MB': size.peakMemory,
  };
}

const program = new Command('npm run bench:against --')
  .argument('<main>', "the other coordinator's dist/service/main.js")
  .option('--rounds <n>', 'how often each is measured', Number, 3)
  .parse();
const { rounds } = program.opts<{ rounds: number }>();
const other = resolve(program.args[0] as string);
const found: { readonly here: Figures[]; readonly there: Figures[] } = { here: [], there: [] };
for (let round = 1; round <= rounds; round++) {
  for (const side of ['there', 'here'] as const) {
    console.log(`round ${round} of ${rounds}: ${side === 'here' ? 'this checkout' : other}`);
    if (side === 'there') process.env.PAYOUTS_COORDINATOR = other;
    else delete process.env.PAYOUTS_COORDINATOR;
    found[side].push(await measure());
  }
}
let worse = 0;
const shown = (values: readonly number[]) =>
  `${digits(median(values))} (${digits(Math.min(...values))}–${digits(Math.max(...values))})`;
const rows = Object.keys(found.here[0] as Figures).map((name) => {
  const of = (side: keyof typeof found) => found[side].map((figures) => figures[name] as number);
  const [here, there] = [of('here'), of('there')];
  const isWorse = median(here) > median(there) * WORSE && Math.min(...here) > Math.max(...there);
  if (isWorse) worse += 1;
  return { figure: name, other: shown(there), here: shown(here), '': isWorse ? 'worse' : '' };
});
console.table(rows);
console.log(`${worse} figures worse by more than a tenth`);
process.exit(worse === 0 ? 0 : 1);
