import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import {
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LedgerClock } from '../src/ledger/clock.ts';
import { LiabilityRecorders } from '../src/liabilities/recorders.ts';
import { observeConditions } from '../src/monitoring/conditions.ts';
import { observeReadPermissions } from '../src/monitoring/readPermissions.ts';
import { observeVaults } from '../src/monitoring/vaults.ts';
import { tellPaid } from '../src/notices/tellPaid.ts';
import type { LoopName } from '../src/platform/metrics/processes.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { runWhileLeader } from '../src/platform/runWhileLeader.ts';
import { serveReconciliation } from '../src/reconciliation/service.ts';
import { runPoller } from '../src/runs/poller.ts';
import type { Tables } from '../src/store/schema.ts';
import { EventFeed } from '../src/webhooks/events/feed.ts';
import { WebhookWorker } from '../src/webhooks/worker.ts';
import { tellRecoveries } from '../src/withdrawals/recoveries.ts';
import { WithdrawalWorker } from '../src/withdrawals/worker.ts';
import { silentLog } from './support/log.ts';

type Weather = 'answers' | 'fails' | 'never answers';

/** A port that nobody listens on: what changes on the base ledger is not followed. */
const NOBODY = 'ws://127.0.0.1:9';

/** A database and ledgers that hold nothing, and do as they are told. */
function parts() {
  const time = manualTime();
  const metrics = createMetrics();
  const over = new AbortController();
  onTestFinished(() => over.abort());
  let weather: Weather = 'answers';
  const answer = async <T>(value: T): Promise<T> => {
    if (weather === 'fails') throw new Error('gone');
    return weather === 'answers' ? value : new Promise<never>(() => {});
  };
  const noEvents = { rows: [{ done_below: '1', begun_from: '1', id: null }] };
  const row = { rows: [], numAffectedRows: 0n };
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () =>
      Object.assign(new DummyDriver(), {
        acquireConnection: async () => ({
          executeQuery: ({ sql }: { readonly sql: string }) => answer(sql.includes('done_below') ? noEvents : row),
          async *streamQuery() {
            yield await answer(row);
          },
        }),
      }),
  };
  const accounts = (addresses: readonly unknown[]) => answer({ slot: 1n, accounts: addresses.map(() => null) });
  const ledger = { accounts, programAccounts: () => answer([]) } as never;
  const input = {
    time,
    metrics,
    log: silentLog,
    signal: over.signal,
    draining: over.signal,
    database: new Kysely<Tables>({ dialect }),
    base: ledger,
    layer: ledger,
    clock: new LedgerClock(time),
    program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
    intervalMs: 1_000,
    executor: 'one/1',
    releaseSeconds: 60,
    randomBelow: () => 0,
  };
  return {
    input,
    answer,
    time,
    become: (now: Weather) => {
      weather = now;
    },
    /** Whether the alert's condition holds for a loop. */
    async isLate(loop: LoopName): Promise<boolean> {
      const { values } = await metrics.loopDueAt.get();
      const due = values.find(({ labels }) => labels.loop === loop)?.value;
      if (due === undefined) throw new Error(`${loop} does not run`);
      return time.now() / 1_000 > due;
    },
  };
}

type Parts = ReturnType<typeof parts>;
/** What a process runs over and over that asks a database or a ledger; of `engine` and `lease` see engineOutage.test.ts and leases.test.ts. */
const LOOPS: Partial<Record<LoopName, (parts: Parts) => unknown>> = {
  polls: ({ input, answer }) => {
    const locks = { holds: () => answer(true) };
    const payableLists = { prepare: async () => {} };
    return runPoller({ ...input, locks, payableLists, authority: { address: input.program } } as never);
  },
  'read-permissions': ({ input, answer }) =>
    observeReadPermissions({ ...input, isHere: true, permissions: { look: () => answer(true) } as never }),
  reconciliation: ({ input }) => serveReconciliation({ ...input, healer: undefined, intervalMs: 5_000 } as never),
  settlements: ({ input, answer }) =>
    new LiabilityRecorders({ ...input, store: { findSettlements: () => answer([]) } } as never).serve(input.signal),
  withdrawals: ({ input }) => new WithdrawalWorker(input as never).run(),
  notices: ({ input }) => tellPaid(input as never),
  recoveries: ({ input }) => tellRecoveries(input as never),
  webhooks: ({ input }) => new WebhookWorker(input as never).run(),
  events: async ({ input }) => {
    for await (const _ of new EventFeed(input as never).follow(undefined, 1_000, input.signal)) void _;
  },
  leadership: ({ input, answer }) =>
    runWhileLeader(
      { ...input, role: 'subscriber', locks: { holds: () => answer(true), release: async () => {} } },
      () => Promise.resolve(),
    ),
  conditions: ({ input }) => observeConditions({ ...input, limits: { fundingLowWindows: 2, windowLateSeconds: 900 } }),
  vaults: ({ input }) => observeVaults({ ...input, url: NOBODY }),
};

describe.each(Object.entries(LOOPS))('the loop %s', (name, start) => {
  it.each(['fails', 'never answers'] as const)(
    'is back by itself within 30 s when what it asks %s',
    async (weather) => {
      const given = parts();
      const { time, become, isLate } = given;
      void start(given);
      await time.advance(100);
      const loop = name as LoopName;
      expect(await isLate(loop)).toBe(false);
      become(weather);
      await time.advance(120_000);
      expect(await isLate(loop)).toBe(true);
      become('answers');
      let waited = 0;
      for (; await isLate(loop); waited += 1_000) {
        expect(waited).toBeLessThan(30_000);
        await time.advance(1_000);
      }
      // And it stays so.
      await time.advance(60_000);
      expect(await isLate(loop)).toBe(false);
    },
  );
});

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
/** Files that wait between two tries of something that ends: with an answer, a deadline or a number of tries. */
const BOUNDED = [
  'app/http.ts',
  'audit/read.ts',
  'commands/reconcile.ts',
  'ledger/finalSchedule.ts',
  'ledger/rpc.ts',
  'liabilities/recorder.ts',
  'liabilities/settlementQueue.ts',
  'http/recipients/relay.ts',
  'platform/pollUntil.ts',
  'platform/withTimeout.ts',
  'runs/changes.ts',
  'runs/claimRecipients.ts',
  'runs/fundCounter.ts',
  'runs/layerSend.ts',
  'runs/permissions.ts',
  'runs/runner.ts',
  'runs/stages/claim.ts',
  'store/db/advisoryLock.ts',
  'withdrawals/layerActions.ts',
];

it('nothing is done over and over outside of the supervised loops', () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const waiting = sources.filter((file) => {
    const text = readFileSync(join(SOURCES, file), 'utf8');
    return /\.pause\(|\.every\(\w*_MS|setInterval/.test(text) && !text.includes('runLoop(');
  });
  expect(waiting.sort()).toEqual([...BOUNDED].sort());
});
