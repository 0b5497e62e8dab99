import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiFailed, RecipientClient, systemTime, TransactionUnknown } from '@payouts/client';
import { type Base64EncodedWireTransaction, generateKeyPairSigner, type Signature } from '@solana/kit';
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

const SIGNED = { wire: 'AA==' as Base64EncodedWireTransaction, signature: '1'.repeat(64) as Signature };

it.each([[503], [500], [502], [504]])(
  'never calls a transaction failed of which a coordinator that answers %d does not say what became',
  async (status) => {
    const { client, signatures } = await answering(status, status, status, 200);
    const error = await client.submit(SIGNED).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransactionUnknown);
    expect((error as Error).message).toContain('Look at your balance and your history before you do it again.');
    expect(error).toMatchObject({ code: 'transaction-unknown', signature: SIGNED.signature });
    expect(signatures).toHaveLength(3);
  },
);

it('tells a refusal of a transaction as one', async () => {
  const { client } = await answering(503, 409);
  await expect(client.submit(SIGNED)).rejects.toBeInstanceOf(ApiFailed);
});
