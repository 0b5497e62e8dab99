import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Connections, and requests that are sent on each ahead of their answers. */
const CONNECTIONS = 16;
const AHEAD = 8;
const REFUSED_MS = 50;

const END_OF_HEAD = '\r\n\r\n';

/** A call of Solana's RPC that sends a transaction, ready for a socket; `wire` is base64. */
export function sendRequest(wire: string): Buffer {
  const params = [wire, { encoding: 'base64', skipPreflight: true }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params });
  const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return Buffer.from(head + END_OF_HEAD + body, 'latin1');
}

/** Sends what `take` gives on one connection and resolves when all of it was accepted. What the server refuses is sent again. */
function drive({ hostname, port }: URL, take: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const unanswered: Buffer[] = [];
    let refused = 0;
    let received = Buffer.alloc(0);
    const send = (request: Buffer) => {
      unanswered.push(request);
      socket.write(request);
    };
    const fill = () => {
      while (unanswered.length + refused < AHEAD) {
        const request = take();
        if (request === undefined) break;
        send(request);
      }
      if (unanswered.length + refused > 0) return;
      socket.end();
      resolve();
    };
    const onAnswer = async (body: string) => {
      const request = unanswered.shift();
      if (request === undefined || !body.includes('"error"')) return;
      refused += 1;
      await sleep(REFUSED_MS);
      refused -= 1;
      send(request);
    };
    socket.setNoDelay(true).on('connect', fill).on('error', reject);
    socket.on('close', () => reject(new Error('The server closed the connection.')));
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      for (;;) {
        const head = received.indexOf(END_OF_HEAD);
        if (head < 0) break;
        const length = Number(/content-length: (\d+)/i.exec(received.toString('latin1', 0, head))?.[1]);
        const end = head + END_OF_HEAD.length + length;
        if (received.length < end) break;
        void onAnswer(received.toString('latin1', end - length, end));
        received = received.subarray(end);
      }
      fill();
    });
  });
}

/** Sends requests that stand ready to a server, as fast as it takes them, in no order; resolves when all were accepted. */
export async function sendAll(url: string, requests: readonly Buffer[]): Promise<void> {
  let next = 0;
  const take = () => requests[next++];
  await Promise.all(Array.from({ length: CONNECTIONS }, () => drive(new URL(url), take)));
}
