// What a coordinator that has nothing to do asks of the base ledger, and how soon it begins a window all the same.
import { setTimeout as sleep } from 'node:timers/promises';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import type { CoordinatorProcess } from '@payouts/sandbox';
import { metricIn, readMetrics } from '@payouts/testing/metrics';
import type { World } from '@payouts/testing/world';
import { createSolanaRpcSubscriptions } from '@solana/kit';
import { promiseMany, registerAll } from '../parts/manySchedules.ts';
import { onLedgers, onPostgres } from '../parts/servers.ts';
import { startMany } from '../parts/together.ts';
import { judged, type Measure, type Row } from '../row.ts';

const INTERVAL = 86_400;
/** Milliseconds that a coordinator has to come to rest, and for which it is looked at. */
const REST_MS = 10_000;
const SPAN_MS = 30_000;
/** Milliseconds after which the websocket of the base ledger is cut, again and again. */
const CUT_MS = 1_000;
/** Seconds for all of that, and for one schedule to be made. */
const AHEAD = 60;
const PER_SCHEDULE = 0.2;

type Idle = {
  /** Calls of the base ledger and its messages, a second. */
  readonly asked: number;
  /** Seconds from when the window is due by the ledger's clock until a try of its first stage begins. */
  readonly begins: number;
};

/** Calls that a coordinator has made to the base ledger. */
const baseCalls = async ({ url }: CoordinatorProcess): Promise<number> =>
  metricIn(await readMetrics(url), 'service_ledger_calls_total', 'ledger="base"') || 0;

/** Counts what the base ledger tells everybody who follows the program's accounts, until the signal. */
async function countMessages(world: World, signal: AbortSignal, onMessage: () => void): Promise<void> {
  const { baseWsUrl } = world.urls;
  const followed = createSolanaRpcSubscriptions(baseWsUrl).programNotifications(PAYOUT_LEDGER_PROGRAM_ADDRESS, {
    commitment: 'confirmed',
    encoding: 'base64',
  });
  for await (const _ of await followed.subscribe({ abortSignal: signal })) onMessage();
}

const idleWith = (schedules: number): Promise<Idle> =>
  onPostgres((postgres) =>
    onLedgers(async (world) => {
      const databaseUrl = await postgres.createDatabase();
      const first = Math.ceil(Date.now() / 1_000 + AHEAD + schedules * PER_SCHEDULE);
      const terms = {
        recipients: 10,
        windows: 1,
        first: BigInt(first),
        interval: INTERVAL,
        batchTimeout: INTERVAL - 1,
      };
      const promised = await promiseMany(world, { schedules, ...terms });
      const [running] = (await startMany(world, databaseUrl, 1)) as [CoordinatorProcess];
      try {
        await registerAll(running.url, promised);
        await sleep(REST_MS);
        let messages = 0;
        const isOver = new AbortController();
        const counting = countMessages(world, isOver.signal, () => {
          messages += 1;
        }).catch(() => {});
        const before = await baseCalls(running);
        await sleep(SPAN_MS);
        const calls = (await baseCalls(running)) - before;
        isOver.abort();
        await counting;
        if (Date.now() > first * 1_000) throw new Error('The windows were due too soon.');
        await world.localnet.admin.setHabits({ websocketMs: CUT_MS });
        await sleep(first * 1_000 - Date.now());
        const begun = `select min(started_at) as at from execution_attempts`;
        let at: unknown = null;
        while (at === null) {
          await sleep(100);
          at = (await postgres.rows(databaseUrl, begun))[0]?.at ?? null;
        }
        return { asked: (calls + messages) / (SPAN_MS / 1_000), begins: Number(at) / 1_000 - first };
      } finally {
        await running.stop();
      }
    }),
  );

export const idle: Measure = {
  name: 'idle',
  minutes: 6,
  async run(quick, say) {
    const rows: Row[] = [];
    for (const [schedules, most] of quick
      ? ([[1, 0.5]] as const)
      : ([
          [1, 0.5],
          [1_000, 2],
        ] as const)) {
      const which = `${schedules.toLocaleString('en')} idle schedule${schedules === 1 ? '' : 's'}`;
      say(which);
      const { asked, begins } = await idleWith(schedules);
      rows.push(
        judged({
          name: `calls and messages of the base ledger, ${which}`,
          measured: asked,
          unit: '/s',
          goal: { most },
        }),
        judged({
          name: `due to begun by the ledger's clock, ${which}, its websocket cut`,
          measured: begins,
          unit: ' s',
          goal: { most: 2 },
        }),
      );
    }
    return rows;
  },
};
