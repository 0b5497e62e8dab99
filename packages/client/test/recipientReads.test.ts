import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiFailed, RecipientClient, systemTime } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { afterEach, expect, it } from 'vitest';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A client of something that answers these statuses, one after the other, and the signatures that it is shown. */
async function answering(...statuses: number[]) {
  const signatures: unknown[] = [];
  server = createServer((request, response) => {
    signatures.push(request.headers['signature-input']);
    response.writeHead(statuses.shift() ?? 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ recipient: 'x', items: [], nextCursor: null, code: 'ledger-unavailable' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const time = { ...systemTime, pause: async () => {} };
  const client = new RecipientClient({
    apiUrl: `http://127.0.0.1:${port}`,
    signer: await generateKeyPairSigner(),
    time,
  });
  return { client, signatures };
}

it('signs a read anew that the coordinator could not answer', async () => {
  const { client, signatures } = await answering(503, 503, 200);
  expect(await client.history()).toMatchObject({ items: [] });
  expect(new Set(signatures).size).toBe(3);
});

it('asks three times at most, and once what is refused', async () => {
  const down = await answering(503, 503, 503, 200);
  await expect(down.client.history()).rejects.toMatchObject({ status: 503, code: 'ledger-unavailable' });
  expect(down.signatures).toHaveLength(3);
  const refused = await answering(403, 200);
  await expect(refused.client.history()).rejects.toThrow(ApiFailed);
  expect(refused.signatures).toHaveLength(1);
});
