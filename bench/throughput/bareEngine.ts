import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemTime } from '@payouts/client';
import { openDatabase } from '../../packages/coordinator/dist/store/db/openDatabase.js';
import { prepareDatabase } from '../../packages/coordinator/dist/store/db/prepare.js';
import { measureProcessors } from '../runner/processes.ts';
import type { CountingServer } from './server.ts';
import type { Measured } from './table.ts';

const child = fileURLToPath(new URL('../../packages/coordinator/test/dist/bareEngine.js', import.meta.url));
const LOOK_MS = 100;

/** Runs so many workflows that do nothing on the engine alone, in so many processes, each of which has run as many before. */
export async function measureBareEngine(
  server: CountingServer,
  input: { readonly workflows: number; readonly processes: number; readonly atATime: number; readonly pollMs: number },
): Promise<Measured> {
  const { workflows, processes, atATime, pollMs } = input;
  const { postgres } = server;
  const databaseUrl = await postgres.createDatabase();
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  await database.close();
  const children: ChildProcess[] = [];
  try {
    for (let number = 1; number <= processes; number++) {
      children.push(
        fork(child, [`bare-${number}`, String(atATime), String(pollMs)], {
          env: { ...process.env, DATABASE_URL: databaseUrl },
        }),
      );
    }
    await Promise.all(children.map((one) => once(one, 'message')));
    const endedOf = async (round: number) => {
      const [row] = await postgres.rows(
        databaseUrl,
        `select count(*) as ended, max(updated_at) as last from dbos.workflow_status
          where status = 'SUCCESS' and workflow_uuid like 'bare:${round}:%'`,
      );
      return { ended: Number(row?.ended), last: Number(row?.last) };
    };
    for (let round = 0; ; round++) {
      await server.reset();
      const used = measureProcessors({
        coordinators: children.map(({ pid }) => pid as number),
        PostgreSQL: [server.pid],
      });
      const began = Date.now();
      children[0]?.send({ round, workflows });
      let now = await endedOf(round);
      while (now.ended < workflows) {
        await sleep(LOOK_MS);
        now = await endedOf(round);
      }
      const { groups, machineCores } = used();
      if (round < processes) continue;
      return {
        what: 'engine alone',
        processes,
        before: round,
        windows: workflows,
        seconds: (now.last - began) / 1_000,
        processors: groups,
        machineCores,
        statements: await server.statements(databaseUrl),
      };
    }
  } finally {
    for (const one of children) one.kill('SIGKILL');
  }
}
