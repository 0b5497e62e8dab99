import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { RecordingProxy } from '../src/browser/recordingProxy.ts';
import { type Loopback, serveLoopback } from '../src/loopback.ts';

let proxy: RecordingProxy;
let service: Loopback;

/** Answers with what it was asked, encoded as the path says; `/stream` goes on for as long as somebody listens. */
beforeAll(async () => {
  service = await serveLoopback(async (asked, answer) => {
    const body = Buffer.concat([Buffer.from('answer to '), await buffer(asked)]);
    if (asked.url === '/stream')
      return void answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first event\n\n');
    if (asked.url === '/gzip') return void answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
    if (asked.url === '/br')
      return void answer.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(body));
    answer.writeHead(201, { 'x-told': 'a header back' }).end(body);
  });
  proxy = await RecordingProxy.start();
});

/** As a browser asks a proxy: with the whole address. */
function ask(path: string, body: string): Promise<[IncomingMessage]> {
  const { hostname, port } = new URL(proxy.url);
  const asking = request({
    hostname,
    port,
    method: 'POST',
    path: `${service.url}${path}`,
    headers: { 'x-said': 'a header there' },
  });
  const answered = once(asking, 'response') as Promise<[IncomingMessage]>;
  asking.end(body);
  return answered;
}

it.each(['', 'gzip', 'br'])('passes on both ways what it keeps, in the clear: %j', async (encoding) => {
  const [answer] = await ask(`/${encoding}?in=address`, `body ${encoding}`);
  const [plain] = await ask(`/${encoding}`, `body ${encoding}`);
  expect([answer.statusCode, answer.headers['x-told']]).toEqual([201, 'a header back']);
  expect(await text(answer)).toBe(`answer to body ${encoding}`);
  await buffer(plain);
  const kept = proxy.passed.toString();
  for (const said of ['in=address', 'a header there', `answer to body ${encoding}`]) expect(kept).toContain(said);
  expect(kept.split(`body ${encoding}`).length).toBeGreaterThan(4);
});

it('keeps a stream while it goes on', async () => {
  const [answer] = await ask('/stream', '');
  expect(String((await once(answer, 'data'))[0])).toContain('first event');
  expect(proxy.passed.toString()).toContain('data: first event');
  answer.destroy();
});

it('opens no tunnel, and keeps that one was asked for', async () => {
  const { hostname, port } = new URL(proxy.url);
  const asking = request({ hostname, port, method: 'CONNECT', path: 'somewhere.example:443' });
  asking.end();
  const [answer] = (await once(asking, 'connect')) as [IncomingMessage];
  expect(answer.statusCode).toBe(403);
  expect(proxy.passed.toString()).toContain('CONNECT somewhere.example:443');
});
