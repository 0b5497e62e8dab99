import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveLoopback } from '@payouts/testing/loopback';

/** A request that a receiver was sent. */
export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly path: string };
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A receiver of webhooks over real HTTP; `answer` may be changed, and is 204 to begin with. */
export async function startReceiver() {
  const receiver = {
    received: [] as Received[],
    answer: (response: ServerResponse, _received: Received): void => {
      response.writeHead(204).end();
    },
  };
  const { url, stop } = await serveLoopback(async (request, response) => {
    const received = { headers: request.headers, body: await text(request), path: request.url ?? '' };
    receiver.received.push(received);
    receiver.answer(response, received);
  });
  return Object.assign(receiver, { url: `${url}/hooks`, stop });
}
