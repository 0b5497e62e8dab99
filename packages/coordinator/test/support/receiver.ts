import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver was sent. */
export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly path: string };

/** A receiver of webhooks over real HTTP; `answer` may be changed, and is 204 to begin with. */
export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  answer: (response: ServerResponse, received: Received) => void;
  stop(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const receiver = {
    received: [] as Received[],
    answer: (response: ServerResponse, _received: Received) => {
      response.writeHead(204).end();
    },
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = { headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url ?? '' };
    receiver.received.push(received);
    receiver.answer(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return Object.assign(receiver, { url, stop });
}
