import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemTime } from '@payouts/client';
import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import { getGlobalDispatcher, request, setGlobalDispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quoteEndpoint } from '../src/ledger/attestation/endpoint.ts';
import { HttpFailure, RpcFailure, rpcCall } from '../src/ledger/rpcCall.ts';
import { boundedAgent, boundOutgoing } from '../src/platform/outgoing.ts';

const { signal } = new AbortController();

/** A server that goes away with the test; its address. */
async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers without an end, as fast as it is read. */
const flooding: RequestListener = (_, response) => {
  const piece = Buffer.alloc(64 * 1_024, ' ');
  const flow = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', flow);
  flow();
};

/** Begins an answer and never ends it. */
const dripping: RequestListener = (_, response) => {
  response.write('{');
};

describe('an answer from elsewhere', () => {
  it('is read no further than it may be long', async () => {
    const url = await serving(flooding);
    const { body } = await request(url, { dispatcher: boundedAgent(1_000_000) });
    await expect(body.text()).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });

  it('is bounded in libraries as well, which fetch by themselves', async () => {
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    boundOutgoing();
    const answer = await fetch(await serving(flooding));
    await expect(answer.text()).rejects.toMatchObject({ cause: { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' } });
    const short = await fetch(await serving((_, response) => response.end('short')));
    expect(await short.text()).toBe('short');
  });

  it.each<[string, (url: string, time: ManualTime) => Promise<unknown>, string]>([
    ['ledger', (url, time) => rpcCall(url, 'getSlot', [], { signal, time }), 'getSlot was not answered whole in time'],
    [
      'layer that is asked for a quote',
      (url, time) => quoteEndpoint(url, { signal, time })(new Uint8Array(32)),
      'gave no quote',
    ],
  ])('of a %s is given up when it is not whole in time', async (_, ask, said) => {
    const url = await serving(dripping);
    const time = manualTime();
    const refused = expect(ask(url, time)).rejects.toThrow(said);
    await expect.poll(() => time.waits()).toBeGreaterThan(0);
    await time.advance(60_000);
    await refused;
  });
});

describe('a call of a ledger', () => {
  const call = (url: string, ending = signal) =>
    rpcCall(url, 'getSlot', [{ of: 'é' }], { signal: ending, time: systemTime });
  const answering = (text: string | Buffer) => serving((_, response) => response.end(text));

  it('is a JSON-RPC request to the whole address, and answered with its result', async () => {
    const seen: unknown[] = [];
    const url = await serving(async ({ method, url, headers }, response) => {
      seen.push([method, url, headers['content-type']]);
      // In parts that divide a character.
      const text = Buffer.from('{"result":["ä",null]}');
      for (const part of [text.subarray(0, 13), text.subarray(13)]) {
        response.write(part);
        await systemTime.pause(20);
      }
      response.end();
    });
    expect(await call(`${url}/rpc?key=1`)).toEqual(['ä', null]);
    expect(seen).toEqual([['POST', '/rpc?key=1', 'application/json']]);
  });

  it.each([
    ['no JSON', 'none', SyntaxError],
    ['nothing', '', SyntaxError],
    ['null', 'null', Error],
    ['no result', '{}', Error],
    ['an error', '{"error":{"code":-32005,"message":"behind","data":1}}', RpcFailure],
  ])('answered with %s fails', async (_, text, kind) => {
    await expect(call(await answering(text))).rejects.toThrow(kind);
  });

  it.each<[string, RequestListener]>([
    ['ends', (_, response) => response.end('later')],
    ['drips', dripping],
    ['has no end', flooding],
  ])('fails with the HTTP status and Retry-After of an answer that %s', async (_, answer) => {
    let isClosed = false;
    const url = await serving((request, response) => {
      request.socket.once('close', () => {
        isClosed = true;
      });
      response.writeHead(503, { 'retry-after': '7' });
      answer(request, response);
    });
    const failed = { status: 503, retryAfter: '7', message: 'getSlot was answered with HTTP 503.' };
    await expect(call(url)).rejects.toMatchObject(failed);
    await expect(call(url)).rejects.toBeInstanceOf(HttpFailure);
    if (answer === flooding) await expect.poll(() => isClosed).toBe(true);
  });

  it('goes over the connection of one that failed', async () => {
    const sockets = new Set<unknown>();
    const url = await serving((request, response) => {
      sockets.add(request.socket);
      response.writeHead(429).end('too many');
    });
    const opened = async () => {
      await expect(call(url)).rejects.toMatchObject({ status: 429, retryAfter: null });
      return sockets.size;
    };
    // The failure is told before the answer's end has come, so the connection is free a moment later.
    const openedAnew = async () => {
      const before = await opened();
      await systemTime.pause(20);
      return (await opened()) - before;
    };
    await expect.poll(openedAnew).toBe(0);
  });

  it.each<[string, RequestListener]>([
    ['before the head of its answer', () => {}],
    ['within its answer', dripping],
  ])('ends with its signal, %s', async (_, answer) => {
    const ending = new AbortController();
    let state = 'unasked';
    const url = await serving((request, response) => {
      request.socket.once('close', () => {
        state = 'closed';
      });
      answer(request, response);
      state = 'asked';
    });
    const ended = expect(call(url, ending.signal)).rejects.toThrow('the end');
    await expect.poll(() => state).toBe('asked');
    ending.abort(new Error('the end'));
    await ended;
    await expect.poll(() => state).toBe('closed');
  });

  it('is not made after its signal has ended it', async () => {
    let calls = 0;
    const url = await serving((_, response) => {
      calls += 1;
      response.end('{"result":1}');
    });
    await expect(call(url, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    const ending = new AbortController();
    const ended = expect(call(url, ending.signal)).rejects.toThrow('at once');
    ending.abort(new Error('at once'));
    await ended;
    expect(await call(url)).toBe(1);
    expect(calls).toBe(1);
  });

  it('fails where nobody listens', async () => {
    await expect(call('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
