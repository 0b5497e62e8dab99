import { type AddressInfo, createServer, type Server } from 'node:net';
import { LocalnetError } from './errors.ts';

/** Both ledgers listen here and nowhere else: their keys and admin methods are public knowledge. */
export const LOOPBACK = '127.0.0.1';

const ATTEMPTS = 50;

/** Has a server listen on a loopback port (0: any free one) and says on which; null when the port is taken. */
export function tryListen(server: Server, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(null) : reject(error),
    );
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Whether nothing listens on this loopback port. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  if ((await tryListen(server, port)) === null) return false;
  await close(server);
  return true;
}

/** A free loopback port. Another process may take it before it is used, so callers stand a second try. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await tryListen(server, 0);
  if (port === null) throw noFreePort();
  await close(server);
  return port;
}

/** The lower of two neighbouring free loopback ports: RPC on it, websocket on the next, as Solana's clients expect. */
export async function freePortPair(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const server = createServer();
    const port = await tryListen(server, 0);
    if (port === null) continue;
    const isPair = port < 65_535 && (await isPortFree(port + 1));
    await close(server);
    if (isPair) return port;
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
