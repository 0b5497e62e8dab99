import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Time } from '@payouts/client';
import { freePort } from '@payouts/localnet';
import { valkeyProgram } from './programs.ts';
import { spawnServer } from './spawn.ts';

/** A Valkey or Redis server of this process's own; it keeps its port, not its data, over `stop` and `start`. */
export interface Valkey {
  /** `redis://…` */
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the process where it is: it takes connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

const READY_WITHIN_MS = 120_000;

/** Whether something that speaks the protocol answers on the port. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
  });
}

/** Starts a Valkey or Redis server in memory on a free loopback port. Throws `ServiceMissing`. */
export async function startValkey(time: Time): Promise<Valkey> {
  const program = valkeyProgram();
  const folder = mkdtempSync(join(tmpdir(), 'payouts-valkey-'));
  const port = await freePort();
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const started = spawnServer(program, args, { stdio: 'ignore' });
    server = started;
    const deadline = time.monotonic() + READY_WITHIN_MS;
    while (!(await answers(port))) {
      if (started.exitCode !== null || time.monotonic() > deadline) throw new Error('Valkey did not start.');
      await time.pause(10);
    }
  }

  async function stop(): Promise<void> {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  }

  const removeAtExit = () => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removeAtExit);
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    async remove() {
      await stop();
      process.off('exit', removeAtExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
