/**
 * npm run bench -- throughput [OPTIONS]: how many windows a second end of those that fall due in the same second, beside workflows of
 * three steps that do nothing on the bare engine, in the same run; and what a window costs: statements, calls to the ledgers, processor
 * time of each part. Coordinators and database are real; the ledgers are once in memory, which leaves the service's own cost, and once real.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { settingSpecs } from '../packages/coordinator/src/config/specs.ts';
import { QUEUE_POLL_MS } from '../packages/coordinator/src/workflow/engine.ts';
import { measureBareEngine } from './throughput/bareEngine.ts';
import { measureCoordinators } from './throughput/coordinators.ts';
import { startMemoryLedgers } from './throughput/memoryLedgers.ts';
import { startRealLedgers } from './throughput/realLedgers.ts';
import { startCountingServer } from './throughput/server.ts';
import { type Measured, printDetails, rowOf } from './throughput/table.ts';

const numbers = (text: string): number[] => text.split(',').map(Number);
const pair = (text: string, before: Record<string, string>): Record<string, string> => {
  const [name = '', ...value] = text.split('=');
  return { ...before, [name]: value.join('=') };
};

const LEDGERS = { memory: startMemoryLedgers, real: startRealLedgers } as const;
type LedgersName = keyof typeof LEDGERS;
const names = (text: string): LedgersName[] => {
  const given = text.split(',');
  if (given.every((name): name is LedgersName => name in LEDGERS)) return given;
  throw new InvalidArgumentError(`Choose of ${Object.keys(LEDGERS).join(', ')}.`);
};

const { schedules, recipients, tokens, processes, on, killAtHalf, set, details, json } = new Command(
  'npm run bench -- throughput',
)
  .option('--schedules <n>', 'schedules that fall due together', Number, 1_000)
  .option('--recipients <n>', 'recipients of each', Number, 10)
  .option('--tokens <n,...>', 'over how many tokens they are spread: each a table of its own', numbers, [1])
  .option('--on <ledgers,...>', 'which ledgers: memory, real', names, ['memory', 'real'] satisfies LedgersName[])
  .option(
    '--processes <n,...>',
    'coordinators; the first pays a window more, since its first one creates balances',
    numbers,
    [1, 3],
  )
  .option('--kill-at-half', 'of several coordinators, kill one when half of the windows are settled', false)
  .option('--set <NAME=value>', "a coordinator's setting; may be repeated", pair, {})
  .option('--details <n>', "print so many of a window's statements", Number, 0)
  .option('--json <file>', 'also write the figures there')
  .parse()
  .opts<{
    schedules: number;
    recipients: number;
    tokens: number[];
    processes: number[];
    on: LedgersName[];
    killAtHalf: boolean;
    set: Record<string, string>;
    details: number;
    json?: string;
  }>();

const atATime = Number(set.RUN_CONCURRENCY ?? settingSpecs(false).runConcurrency.default);
const measured: Measured[] = [];
const onMeasured = (one: Measured) => {
  measured.push(one);
  if (details > 0) printDetails(one, details);
};

const server = await startCountingServer();
try {
  for (const count of processes) {
    const bare = { workflows: schedules, processes: count, atATime, pollMs: QUEUE_POLL_MS };
    onMeasured(await measureBareEngine(server, bare));
  }
  for (const name of on) {
    for (const count of tokens) {
      const ledgers = await LEDGERS[name]();
      try {
        const input = { schedules, recipients, tokens: count, settings: set, killAtHalf };
        const pays = { ...input, processes: [processes[0] as number, ...processes] };
        await measureCoordinators(server, ledgers, pays, onMeasured);
      } finally {
        await ledgers.stop();
      }
    }
  }
} finally {
  await server.postgres.remove();
}

const limitOf = (of: Measured) =>
  measured.find(({ processes, calls }) => calls === undefined && processes === of.processes);
console.log(
  `\n${schedules} schedules of ${recipients} recipients, due in the same second; ${atATime} runs at a time in each process; ` +
    `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
);
console.table(measured.map((one) => rowOf(one, limitOf(one))));
if (json !== undefined)
  writeFileSync(json, `${JSON.stringify({ schedules, recipients, atATime, measured }, null, 2)}\n`);
process.exit(0);
