import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { bodyOf, listen, stop } from './http.ts';

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
    const received = { headers: request.headers, body: await bodyOf(request), path: request.url ?? '' };
    receiver.received.push(received);
    receiver.answer(response, received);
  });
  const url = `${await listen(server)}/hooks`;
  return Object.assign(receiver, { url, stop: () => stop(server) });
}
