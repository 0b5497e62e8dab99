import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientKey } from './client.ts';
import { ClientShares } from './clientShares.ts';

/** Ends connections of a client that has its share of them; a trusted proxy's are those of many clients. */
export function shareSockets(server: Server, share: number, isTrusted: (address: string) => boolean): void {
  const shares = new ClientShares(share);
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const leave = shares.take(clientKey(remoteAddress));
    if (leave === undefined) socket.destroy();
    else socket.once('close', leave);
  });
}
