import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { LocalnetError } from '../errors.ts';
import { LOOPBACK, portTaken, tryListen } from '../ports.ts';
import { OWN_NODE_PATH } from './ownNode.ts';
import { TooManyCalls } from './publicNode.ts';
import type { PubSub } from './pubsub.ts';
import type { RpcContext } from './rpc/context.ts';
import { answerBody } from './rpc/dispatch.ts';

const MAX_BODY_BYTES = 16 << 20;
const PORT_ATTEMPTS = 50;

/** The listening RPC and websocket servers. */
export interface Servers {
  /** RPC; the websocket is on the next port. */
  readonly port: number;
  close(): void;
}

/** Serves RPC on a loopback port and PubSub on the next; port 0 takes any free pair. */
export async function listen(context: RpcContext, pubsub: PubSub, port: number): Promise<Servers> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const rpc = createRpcServer(context);
    const rpcPort = await tryListen(rpc, port);
    if (rpcPort === null) throw portTaken(port, '--base-port');
    const upgrades = createServer((_, response) => response.writeHead(426).end());
    if ((await tryListen(upgrades, rpcPort + 1)) === null) {
      rpc.close();
      if (port !== 0) throw portTaken(port + 1, '--base-port');
      continue;
    }
    const websockets = new WebSocketServer({ server: upgrades, maxPayload: MAX_BODY_BYTES });
    websockets.on('connection', (socket, request) => pubsub.serve(socket, isOnOwnNode(request)));
    return {
      port: rpcPort,
      close: () => {
        for (const socket of websockets.clients) socket.terminate();
        for (const server of [rpc, upgrades]) {
          server.close();
          server.closeAllConnections();
        }
      },
    };
  }
  throw new LocalnetError(
    'NO_FREE_PORT',
    `No two neighbouring ports are free on ${LOOPBACK}: choose one with --base-port.`,
  );
}

function createRpcServer(context: RpcContext): Server {
  const server = createServer((request, response) => {
    handle(context, request, response).catch(() => response.destroy());
  });
  // Clients keep connections open between calls; closing idle ones early makes their next call fail.
  server.keepAliveTimeout = 60_000;
  return server;
}

async function handle(context: RpcContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('access-control-allow-origin', '*');
  if (request.method === 'OPTIONS') {
    const allowed = { 'access-control-allow-headers': '*', 'access-control-allow-methods': 'POST, GET, OPTIONS' };
    return void response.writeHead(204, { ...allowed, 'access-control-max-age': '86400' }).end();
  }
  if (request.method === 'GET' && request.url === '/health') return void response.end('ok');
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const body = await readBody(request);
  if (body === null) return void response.writeHead(413).end();
  const caller = {
    address: request.socket.remoteAddress ?? '',
    isWebPage: request.headers.origin !== undefined,
    isOnOwnNode: isOnOwnNode(request),
  };
  const answer = await answerBody(context, body, caller).catch((error: unknown) => {
    if (error instanceof TooManyCalls) return error;
    throw error;
  });
  if (answer instanceof TooManyCalls) {
    const { retryAfter, message } = answer;
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return void response.writeHead(429, headers).end(message);
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
  response.end(answer);
}

const isOnOwnNode = ({ url }: IncomingMessage): boolean => url === OWN_NODE_PATH;

/** The request's body; null when it is longer than allowed. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
