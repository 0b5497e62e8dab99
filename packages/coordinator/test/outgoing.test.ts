import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import { getGlobalDispatcher, request, setGlobalDispatcher } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { quoteEndpoint } from '../src/ledger/attestation/endpoint.ts';
import { rpcCall } from '../src/ledger/rpcCall.ts';
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
    await vi.waitUntil(() => time.waits() > 0);
    await time.advance(60_000);
    await refused;
  });
});
