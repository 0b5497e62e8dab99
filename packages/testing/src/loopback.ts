import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { running } from './running.ts';

/** A server that others reach on this machine's loopback address. */
export type Loopback = { readonly url: string; readonly server: Server; stop(): Promise<void> };

/**
 * Serves on a free loopback port; a request whose answer fails is broken off. `stop` breaks off what is open; a test file's servers end by
 * themselves.
 */
export async function serveLoopback(
  answer: (...call: Parameters<RequestListener>) => Promise<unknown>,
): Promise<Loopback> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const loopback: Loopback = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    stop: () => {
      running.delete(loopback);
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  running.add(loopback);
  return loopback;
}
