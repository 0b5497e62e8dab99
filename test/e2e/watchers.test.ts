import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@payouts/localnet';
import { PAYOUT, startProgram } from '@payouts/testing/program';
import { until } from '@payouts/testing/world';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const WATCHERS = 20;
const INTERVAL = 12;
/** Windows that are watched: `WATCHED_WINDOWS=25 npx vitest run test/e2e/watchers.test.ts` is five minutes. */
const WINDOWS = Number(process.env.WATCHED_WINDOWS ?? 2);
const LONGEST_MS = 240_000 + WINDOWS * INTERVAL * 2_000;

/** A process, and what it has printed so far. */
type Printing = { readonly child: ChildProcess; printed: string };

function printing(child: ChildProcess): Printing {
  const result: Printing = { child, printed: '' };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (result.printed += chunk));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return result;
}

it(
  'twenty watchers beside npm start end nothing: every window is told to each, and nobody is refused',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'payouts-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const first = await freePorts(5);
    const ports = ['--port', String(first), '--base-port', String(first + 1), '--layer-port', String(first + 3)];
    const sample = ['--recipients', '20', '--interval', String(INTERVAL)];
    const words = [join(root, 'scripts', 'run.mjs'), 'start', '--dir', folder, ...ports, ...sample];
    const started = printing(spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] }));
    const [, schedule = ''] = await until(
      async () => /api\/schedules\/(\w+)\/executions/.exec(started.printed) ?? undefined,
      'the start to run',
    );

    const env = { PAYOUT_API: `http://127.0.0.1:${first}` };
    const watchers = Array.from({ length: WATCHERS }, () => printing(startProgram(PAYOUT, env, ['watch', schedule])));
    const settledBy = ({ printed }: Printing) => printed.match(/Window \d+ is settled: 20 of 20 paid/g)?.length ?? 0;
    const hasEnded = ({ child }: Printing) => child.exitCode !== null || child.signalCode !== null;
    await until(
      async () => [started, ...watchers].some(hasEnded) || watchers.every((watcher) => settledBy(watcher) >= WINDOWS),
      `${WINDOWS} windows to be told to everybody`,
      LONGEST_MS,
      500,
    );
    for (const { printed, child } of [started, ...watchers]) {
      expect({ code: child.exitCode, said: /^.*(429|✖|[Tt]oo many|refused).*$/m.exec(printed)?.[0] }).toEqual({
        code: null,
        said: undefined,
      });
    }
    const health = await (await fetch(`${env.PAYOUT_API}/api/health`)).json();
    expect(health).toMatchObject({ status: 'healthy' });
  },
  LONGEST_MS + 60_000,
);
