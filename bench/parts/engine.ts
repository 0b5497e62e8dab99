// The limit of small windows: the durable engine alone, with runs of three steps that do nothing, as many processes as coordinators.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemTime } from '@payouts/client';
import type { Postgres } from '@payouts/testing/services';
import { openDatabase } from '../../packages/coordinator/dist/store/db/openDatabase.js';
import { prepareDatabase } from '../../packages/coordinator/dist/store/db/prepare.js';

const CHILD = fileURLToPath(new URL('../../packages/coordinator/test/dist/bareEngine.js', import.meta.url));
/** Runs at a time in each process, and milliseconds between two looks at the queue: neither keeps it waiting. */
const [AT_A_TIME, POLL_MS] = [256, 10];
const LOOK_MS = 100;

/** Runs a second of so many, by so many processes, each of which has done as many before. */
export async function measureEngine(postgres: Postgres, runs: number, processes: number): Promise<number> {
  const databaseUrl = await postgres.createDatabase();
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  await database.close();
  const children = Array.from({ length: processes }, (_, number) =>
    fork(CHILD, [`bare-${number}`, String(AT_A_TIME), String(POLL_MS)], {
      env: { ...process.env, DATABASE_URL: databaseUrl },
    }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    for (let round = 0; ; round++) {
      const began = Date.now();
      children[0]?.send({ round, workflows: runs });
      for (let ended = 0; ended < runs; await sleep(LOOK_MS)) {
        const [row] = await postgres.rows(
          databaseUrl,
          `select count(*) as ended, max(updated_at) as last from dbos.workflow_status
            where status = 'SUCCESS' and workflow_uuid like 'bare:${round}:%'`,
        );
        ended = Number(row?.ended);
        if (ended === runs && round === processes) return (runs / (Number(row?.last) - began)) * 1_000;
      }
    }
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}
