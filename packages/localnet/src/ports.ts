import { createServer, type Server } from 'node:net';
import { LocalnetError } from './errors.ts';

/** Both ledgers listen here and nowhere else: their keys and admin methods are public knowledge. */
export const LOOPBACK = '127.0.0.1';

const ATTEMPTS = 50;

/** Listens on a loopback port (0: any free one); null when the port is taken. */
function tryListen(port: number): Promise<{ server: Server; port: number } | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const bound = server.address();
      resolve(bound !== null && typeof bound === 'object' ? { server, port: bound.port } : null);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Whether nothing listens on this loopback port. */
export async function isPortFree(port: number): Promise<boolean> {
  const bound = await tryListen(port);
  if (bound === null) return false;
  await close(bound.server);
  return true;
}

/** A free loopback port. Another process may take it before it is used, so callers stand a second try. */
export async function freePort(): Promise<number> {
  const bound = await tryListen(0);
  if (bound === null) throw noFreePort();
  await close(bound.server);
  return bound.port;
}

/** The lower of two neighbouring free loopback ports: RPC on it, websocket on the next, as Solana's clients expect. */
export async function freePortPair(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = await tryListen(0);
    if (first === null) continue;
    const second = first.port < 65_535 ? await tryListen(first.port + 1) : null;
    await close(first.server);
    if (second === null) continue;
    await close(second.server);
    return first.port;
  }
  throw noFreePort();
}

/** The error for a port somebody else holds; `option` is the setting that moves it. */
export function portTaken(port: number, option: string): LocalnetError {
  return new LocalnetError(
    'PORT_TAKEN',
    `Port ${port} on ${LOOPBACK} is taken: stop the process that holds it or choose another with ${option}.`,
  );
}

function noFreePort(): LocalnetError {
  return new LocalnetError('NO_FREE_PORT', `No free port on ${LOOPBACK}: stop processes that hold many of them.`);
}
