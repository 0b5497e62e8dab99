import { once } from 'node:events';
import { childOf, type Server, startServers } from './reads/servers.ts';
import { judged, type Measure } from './runner/measure.ts';
import { count } from './runner/options.ts';
import { secondsOf } from './runner/processes.ts';
import { quantile } from './runner/statistics.ts';

type Options = { readonly schedules: number; readonly rate: number; readonly slices: number; readonly seconds: number };

const WARM_UP_SECONDS = 4;
const LATE_MS = 5;

/** Milliseconds of each answer, and seconds of processor time spent on them. */
type Measured = { readonly server: Server; readonly took: number[]; worked: number };

function lineOf({ server, took, worked }: Measured) {
  return {
    server: server.name,
    requests: took.length,
    p50: quantile(took, 0.5),
    p95: quantile(took, 0.95),
    p99: quantile(took, 0.99),
    late: took.filter((milliseconds) => milliseconds > LATE_MS).length / took.length,
    processorMs: (worked * 1_000) / took.length,
  };
}

export const reads: Measure<Options> = {
  name: 'reads',
  what: 'GET /api/schedules/:schedulePda at a fixed rate on PostgreSQL beside a bare fastify route with the same query.',
  minutes: 1.5,
  options: (command) =>
    command
      .option('--schedules <n>', 'registered schedules', count, 100_000)
      .option('--rate <n>', 'requests a second', count, 500)
      .option(
        '--slices <n>',
        'times that each server is asked, in turn, so that whatever else the machine does meets both',
        count,
        10,
      )
      .option('--seconds <n>', 'length of each', count, 3),
  async run({ schedules, rate, slices, seconds }) {
    const servers = await startServers(schedules);
    const { bare, service, paths } = servers;
    /** Asks for a while, from a third process, and adds what that took. */
    const ask = async (to: Measured, forSeconds: number) => {
      const before = secondsOf(to.server.pid);
      const child = childOf('load.ts', [to.server.url, String(rate), String(forSeconds), ...paths]);
      const [said] = (await once(child, 'message')) as [{ took: number[]; statuses: [number, number][] }];
      if (said.statuses.some(([status]) => status !== 200)) {
        throw new Error(`${to.server.name} answered ${JSON.stringify(said.statuses)}`);
      }
      to.took.push(...said.took);
      to.worked += secondsOf(to.server.pid) - before;
    };
    const nothing = (server: Server): Measured => ({ server, took: [], worked: 0 });
    try {
      const measured = [nothing(bare), nothing(service)];
      for (const { server } of measured) await ask(nothing(server), WARM_UP_SECONDS);
      for (let slice = 0; slice < slices; slice++) {
        for (const one of measured) await ask(one, seconds);
      }
      const [limit, ours] = measured.map(lineOf) as [ReturnType<typeof lineOf>, ReturnType<typeof lineOf>];
      const row = (of: 'p50' | 'p99') =>
        judged({
          id: `reads.${of}`,
          measure: `GET schedule at ${rate} a second, ${of}`,
          figure: ours[of],
          unit: 'ms',
          limit: limit[of],
          limitName: bare.name,
          goal: { of: 'ratio', most: 1.5 },
        });
      const lines = [limit, ours].map(({ server, requests, p50, p95, p99, late, processorMs }) => ({
        server,
        requests,
        'p50 ms': p50.toFixed(2),
        'p95 ms': p95.toFixed(2),
        'p99 ms': p99.toFixed(2),
        [`over ${LATE_MS} ms`]: `${(late * 100).toFixed(2)} %`,
        'processor ms a request': processorMs.toFixed(2),
      }));
      const title = `${schedules.toLocaleString('en')} registered schedules, ${rate} requests a second`;
      return { rows: [row('p50'), row('p99')], details: [{ title, rows: lines }], facts: { readMs: ours.processorMs } };
    } finally {
      await servers.stop();
    }
  },
};
