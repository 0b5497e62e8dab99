import { type AddressInfo, createServer, type Server } from 'node:net';
import { LocalnetError } from './errors.ts';

/** Both ledgers listen here and nowhere else: their keys and admin methods are public knowledge. */
export const LOOPBACK = '127.0.0.1';

/** Below those that systems give out by themselves, so that nobody else takes one between the look and its use, or while its server is down. */
const [LOWEST, HIGHEST] = [10_000, 30_000];
/**
 * Ports in a row of which a process takes all or none. It listens on the first for as long as it lives: whatever becomes of it, the system
 * gives them back then. Between the look whether a port is free and its use, no other process that looks takes it, nor while its server is down.
 */
const BLOCK = 20;
const BLOCKS = (HIGHEST - LOWEST) / BLOCK;
/** By the golden section: processes that were begun one after the other look hundreds of ports apart. */
const STRIDE = 618;
let block = (process.pid * STRIDE) % BLOCKS;
/** Of the block that was taken last, what was not given out yet. */
let [next, end] = [0, 0];

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

/** Takes the ports of the next block that no process has. */
async function takeBlock(): Promise<boolean> {
  for (let looked = 0; looked < BLOCKS; looked++) {
    const first = LOWEST + block * BLOCK;
    block = (block + 1) % BLOCKS;
    const holder = createServer((socket) => socket.destroy()).unref();
    if ((await tryListen(holder, first)) === null) continue;
    [next, end] = [first + 1, first + BLOCK];
    return true;
  }
  return false;
}

/** The first of so many free loopback ports in a row, fewer than a block has; no two answers are alike, in whatever process. */
export async function freePorts(count: number): Promise<number> {
  while (next + count <= end || (await takeBlock())) {
    if (next + count > end) continue;
    const first = next;
    next += count;
    const ports = Array.from({ length: count }, (_, place) => first + place);
    if ((await Promise.all(ports.map(isPortFree))).every(Boolean)) return first;
  }
  throw new LocalnetError(
    'NO_FREE_PORT',
    `No free port on ${LOOPBACK} from ${LOWEST} to ${HIGHEST}: stop processes that hold many of them.`,
  );
}

/** The error for a port somebody else holds; `option` is the setting that moves it. */
export function portTaken(port: number, option: string): LocalnetError {
  return new LocalnetError(
    'PORT_TAKEN',
    `Port ${port} on ${LOOPBACK} is taken: stop the process that holds it or choose another with ${option}.`,
  );
}
