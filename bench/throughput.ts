import { InvalidArgumentError } from 'commander';
import { settingSpecs } from '../packages/coordinator/dist/config/specs.js';
import { QUEUE_POLL_MS } from '../packages/coordinator/dist/runs/engine.js';
import type { Measure } from './runner/measure.ts';
import { count, counts, setting } from './runner/options.ts';
import { measureBareEngine } from './throughput/bareEngine.ts';
import { measureCoordinators } from './throughput/coordinators.ts';
import { startMemoryLedgers } from './throughput/memoryLedgers.ts';
import { startRealLedgers } from './throughput/realLedgers.ts';
import { costsOfWindow, TIMES, throughputRows } from './throughput/rows.ts';
import { startCountingServer } from './throughput/server.ts';
import { type Measured, printDetails, rowOf } from './throughput/table.ts';

const LEDGERS = { memory: startMemoryLedgers, real: startRealLedgers } as const;
type LedgersName = keyof typeof LEDGERS;
const names = (text: string): LedgersName[] => {
  const given = text.split(',');
  if (given.every((name): name is LedgersName => name in LEDGERS)) return given;
  throw new InvalidArgumentError(`Choose of ${Object.keys(LEDGERS).join(', ')}.`);
};

type Options = {
  readonly schedules: number;
  readonly recipients: number;
  readonly tokens: readonly number[];
  readonly processes: readonly number[];
  readonly on: readonly LedgersName[];
  readonly killAtHalf: boolean;
  readonly set: Readonly<Record<string, string>>;
  readonly details: number;
};

/**
 * What a window costs is counted as well: statements, calls to the ledgers, processor time of each part. Coordinators and database are
 * real; the ledgers are once in memory, which leaves the service's own cost, and once real.
 */
export const throughput: Measure<Options> = {
  name: 'throughput',
  what: 'Small windows that fall due in the same second, beside as many workflows that do nothing on the bare engine.',
  minutes: 12,
  options: (command) =>
    command
      .option('--schedules <n>', 'schedules that fall due together', count, 1_000)
      .option('--recipients <n>', 'recipients of each', count, 10)
      .option('--tokens <n,...>', 'over how many tokens they are spread: each a table of its own', counts, [1])
      .option('--on <ledgers,...>', 'which ledgers: memory, real', names, ['memory', 'real'] satisfies LedgersName[])
      .option(
        '--processes <n,...>',
        'coordinators; each pays as many windows before, of which the very first create balances, and then three times',
        counts,
        [1, 3],
      )
      .option('--kill-at-half', 'of several coordinators, kill one when half of the last windows are settled', false)
      .option('--set <NAME=value>', "a coordinator's setting; may be repeated", setting, {})
      .option('--details <n>', "print so many of a window's statements", count, 0),
  async run({ schedules, recipients, tokens, processes, on, killAtHalf, set, details }, say) {
    const atATime = Number(set.RUN_CONCURRENCY ?? settingSpecs(false).runConcurrency.default);
    const measured: Measured[] = [];
    const onMeasured = (one: Measured) => {
      measured.push(one);
      if (details > 0) printDetails(one, details);
    };
    const server = await startCountingServer();
    try {
      for (const many of processes) {
        say(`the engine alone, ${many} processes`);
        const bare = { workflows: schedules, processes: many, atATime, pollMs: QUEUE_POLL_MS };
        onMeasured(await measureBareEngine(server, bare));
      }
      for (const name of on) {
        for (const many of tokens) {
          say(`${schedules} windows on ${name} ledgers, ${processes.join(' and ')} processes`);
          const ledgers = await LEDGERS[name]();
          try {
            const input = { schedules, recipients, tokens: many, settings: set, killAtHalf };
            // Each process has paid as many windows as fall due, before those that count.
            const times = (count: number) => count + (killAtHalf ? 1 : TIMES);
            const pays = { ...input, processes: processes.flatMap((count) => Array<number>(times(count)).fill(count)) };
            await measureCoordinators(server, ledgers, pays, onMeasured);
          } finally {
            await ledgers.stop();
          }
        }
      }
    } finally {
      await server.postgres.remove();
    }
    const limitOf = (of: Measured) => measured.find((one) => one.calls === undefined && one.processes === of.processes);
    const title = `${schedules} schedules of ${recipients} recipients, due in the same second; ${atATime} runs at a time in each process`;
    return {
      rows: throughputRows(measured, recipients),
      details: [{ title, rows: measured.map((one) => rowOf(one, limitOf(one))) }],
      facts: costsOfWindow(measured),
    };
  },
};
