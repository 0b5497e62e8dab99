import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Point } from '@payouts/coordinator/testing';
import type { CoordinatorProcess } from '@payouts/sandbox';
import type { Address } from '@solana/kit';

const child = fileURLToPath(new URL('../../coordinator/test/dist/stopping.js', import.meta.url));

const STOP_MS = 20_000;

/** A run that stands at a point in a coordinator, until it is let go on or its process dies. */
export type Passing = {
  readonly point: Point;
  /** SCHEDULE:WINDOW. */
  readonly run: string;
  readonly process: ChildProcess;
  goOn(): void;
};

type Said = { readonly url?: string; readonly passing?: number; readonly point?: Point; readonly run?: string };

/**
 * Starts a coordinator, each run of which asks at every point whether it may go on, and waits until it answers.
 *
 * @param logFile where its JSON lines go
 * @param onPassing told of each; must let every run go on some time, or end its process
 */
export async function startHoldable(
  settings: Readonly<Record<string, string>>,
  logFile: string,
  onPassing: (passing: Passing) => void,
): Promise<CoordinatorProcess> {
  const process = spawnHoldable(settings, logFile);
  const url = await new Promise<string>((resolve, reject) => {
    process.on('message', ({ url, passing, point, run }: Said) => {
      if (url !== undefined) resolve(url);
      if (passing === undefined || point === undefined || run === undefined) return;
      const goOn = () => {
        if (process.connected) process.send({ goOn: passing }, () => {});
      };
      onPassing({ point, run, process, goOn });
    });
    process.once('exit', () => reject(new Error(`A coordinator ended before it was ready: see its log, ${logFile}.`)));
  });
  return {
    url,
    process,
    stop: async () => {
      if (process.exitCode !== null || process.signalCode !== null) return;
      const gone = once(process, 'exit');
      process.kill('SIGTERM');
      // A run that nobody lets go on any more keeps it from ending.
      const timer = setTimeout(() => process.kill('SIGKILL'), STOP_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Waits until a coordinator that was asked to end has heard it: it says so, or answers nobody any more. */
export async function untilStopping(url: string): Promise<void> {
  const status = () => fetch(`${url}/api/health`).then((response) => response.status);
  while ((await status().catch(() => 503)) !== 503) await sleep(20);
}

function spawnHoldable(settings: Readonly<Record<string, string>>, logFile: string): ChildProcess {
  const started = spawn(process.execPath, [child], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  started.stdout?.pipe(log, { end: false });
  started.stderr?.pipe(log, { end: false });
  started.once('close', () => log.end());
  return started;
}

/** A point at which a run is to be held. */
type Hold = {
  readonly point: Point;
  readonly run: string;
  left: number;
  readonly isThere: (passing: Passing) => void;
};

/** Where runs are held in the coordinators that were started with it; everywhere else they go on at once. */
export class Failpoints {
  readonly #holds = new Set<Hold>();

  /** For the coordinators' starts. */
  readonly onPassing = (passing: Passing): void => {
    const about = [...this.#holds].filter(({ point, run }) => point === passing.point && run === passing.run);
    for (const hold of about) hold.left -= 1;
    const failpoint = about.filter(({ left }) => left === 0);
    if (failpoint.length === 0) passing.goOn();
    for (const hold of failpoint) {
      this.#holds.delete(hold);
      hold.isThere(passing);
    }
  };

  /**
   * Holds a window's run when it comes to a point for the n-th time, from 1, once. Resolves when it stands there; whoever asked lets it
   * go on or ends its process.
   */
  hold(point: Point, { schedule }: { readonly schedule: Address }, { window = 0n, nth = 1 } = {}): Promise<Passing> {
    return new Promise((isThere) => {
      this.#holds.add({ point, run: `${schedule}:${window}`, left: nth, isThere });
    });
  }
}
