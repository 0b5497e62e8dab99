import { connect } from 'node:net';
import type { Time } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { valkeyProgram } from './programs.ts';
import { OwnServer } from './spawn.ts';

/** A Valkey or Redis server of this process's own; it keeps its port, not its data, over `stop` and `start`. */
export type Valkey = Awaited<ReturnType<typeof startValkey>>;

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
export async function startValkey(time: Time) {
  const program = valkeyProgram();
  const port = await freePorts(1);
  const server = new OwnServer('Valkey', time, 'SIGKILL');

  async function start(): Promise<void> {
    const settings = { port: String(port), bind: '127.0.0.1', save: '', appendonly: 'no', dir: server.folder };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    await server.start(program, args, { stdio: 'ignore' }, () => answers(port));
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop: () => server.stop(),
    /** Stops the process where it is: it takes connections and answers nothing. */
    freeze: () => process.kill(server.pid, 'SIGSTOP'),
    thaw: () => process.kill(server.pid, 'SIGCONT'),
    /** Stops it and removes its folder. */
    remove: () => server.remove(),
  };
}
