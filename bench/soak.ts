import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '@payouts/client';
import { startCoordinator } from '@payouts/sandbox';
import { startPostgres } from '@payouts/testing/services';
import type { Measure } from './runner/measure.ts';
import { count } from './runner/options.ts';
import { growth, soakDetails, soakPlots, soakRows } from './soak/rows.ts';
import { COLLECTS, type Sample, takeSample } from './soak/sample.ts';
import { register } from './throughput/coordinators.ts';
import { startRealLedgers } from './throughput/realLedgers.ts';

type Options = {
  readonly windows: number;
  readonly every: number;
  readonly schedules: number;
  readonly recipients: number;
};

const LOOK_MS = 200;
const STILL_MS = 120_000;
const BATCH_TIMEOUT = 600;
const SAY_EVERY = 5;

export const soak: Measure<Options> = {
  name: 'soak',
  what: 'Many windows, one after the other, on real parts: whether memory, handles, subscriptions and rows stay as they are.',
  minutes: 5,
  options: (command) =>
    command
      .option('--windows <n>', 'windows in all', count, 2_000)
      .option('--every <n>', 'windows between two samples', count, 50)
      .option('--schedules <n>', 'schedules that have them in turn, each a second after the last', count, 25)
      .option('--recipients <n>', 'recipients of each', count, 10),
  async run({ windows, every, schedules, recipients }, say) {
    const ledgers = await startRealLedgers();
    const postgres = await startPostgres(systemTime);
    const databaseUrl = await postgres.createDatabase();
    const key = join(ledgers.folder, 'payload.key');
    writeFileSync(key, randomBytes(32).toString('hex'), { mode: 0o600 });
    const settled = async () => {
      const [row] = await postgres.rows(
        databaseUrl,
        `select count(*) filter (where state = 'settled') as settled, count(*) filter (where state = 'exhausted') as exhausted
          from execution_runs`,
      );
      if (Number(row?.exhausted) > 0) throw new Error(`${row?.exhausted} runs are exhausted.`);
      return Number(row?.settled);
    };
    try {
      const promised = await ledgers.promise({
        schedules,
        recipients,
        tokens: 1,
        windows: Math.ceil(windows / schedules),
        first: BigInt(Math.floor(Date.now() / 1_000)),
        interval: 1,
        batchTimeout: BATCH_TIMEOUT,
      });
      const env = { DATABASE_URL: databaseUrl, PAYLOAD_KEY: key, METRICS_PUBLIC: 'true', ...COLLECTS };
      const coordinator = await startCoordinator({ ...ledgers.settings, ...env }, join(ledgers.folder, 'soak.log'));
      try {
        await register(coordinator.url, promised);
        const ledgerPids = Object.values(ledgers.processes).flat();
        const of = { url: coordinator.url, pid: coordinator.process.pid as number, ledgerPids, postgres, databaseUrl };
        const begun = Date.now();
        const samples: Sample[] = [];
        let changedAt = begun;
        for (let done = 0; done < windows; await sleep(LOOK_MS)) {
          const now = await settled();
          if (now > done) changedAt = Date.now();
          if (Date.now() - changedAt > STILL_MS) throw new Error(`No window was settled after ${done}.`);
          done = now;
          if (done < samples.length * every && done < windows) continue;
          const sample = await takeSample(of, done, begun);
          samples.push(sample);
          if (samples.length % SAY_EVERY === 0) {
            say(`${done} windows, ${Math.round(sample.seconds)} s: ${Math.round(sample.resident)} MB`);
          }
        }
        return {
          rows: soakRows(samples),
          details: soakDetails(samples),
          plots: soakPlots(samples),
          facts: { databaseBytesAWindow: growth(samples, (sample) => sample.databaseBytes) / 1_000 },
        };
      } finally {
        await coordinator.stop();
      }
    } finally {
      await postgres.remove();
      await ledgers.stop();
    }
  },
};
