import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '@payouts/client';
import type { Metrics } from '../../platform/metrics.ts';
import { clientKey } from './client.ts';
import { ClientShares } from './clientShares.ts';

/** Milliseconds in which a client may open as many connections as it may have at a time. */
const WINDOW_MS = 10_000;

/** How many connections each client has opened in this window. */
class OpenedConnections {
  readonly #counts = new Map<string, number>();
  #since: number;

  constructor(
    private readonly limit: number,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {
    this.#since = time.monotonic();
  }

  /** Counts one more; false: the client has opened as many as it may. */
  count(client: string): boolean {
    const now = this.time.monotonic();
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#counts.clear();
    }
    const opened = this.#counts.get(client) ?? 0;
    if (opened >= this.limit) return false;
    this.#counts.set(client, opened + 1);
    return true;
  }
}

export type SocketSharesInput = {
  /** Connections that a client may have at a time, and open in ten seconds. */
  readonly connectionsPerClient: number;
  readonly metrics: Metrics;
  readonly time: Time;
};

/**
 * Ends connections at once, before anything of them is read: of a client that has its share of those that are open or has opened as many
 * just now, and of nobody, who has reset them while they waited to be taken. A trusted proxy's are those of many clients.
 */
export function shareSockets(
  server: Server,
  { connectionsPerClient, metrics, time }: SocketSharesInput,
  isTrusted: (address: string) => boolean,
): void {
  const shares = new ClientShares(connectionsPerClient);
  const opened = new OpenedConnections(connectionsPerClient, time);
  const refuse = (socket: Socket, reason: 'gone' | 'open' | 'opened') => {
    metrics.connectionsRefused.inc({ reason });
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return refuse(socket, 'gone');
    if (isTrusted(remoteAddress)) return;
    const client = clientKey(remoteAddress);
    const leave = shares.take(client);
    if (leave === undefined) return refuse(socket, 'open');
    socket.once('close', leave);
    if (!opened.count(client)) refuse(socket, 'opened');
  });
}
