import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RequestToSign, signRequest, signRequestWithBody, systemTime } from '@payouts/client';
import type { MessagePartialSigner } from '@solana/kit';

/** What a request has for a signature that wants one of the proxy. */
export const SIGN_THIS = 'by-the-proxy';

/** A server that passes every request on, and signs those that ask for it. */
export type SigningProxy = { readonly url: string; stop(): Promise<void> };

/** Who signs a request for this path. */
export type ChooseSigner = (path: string) => MessagePartialSigner;

async function sign(toSign: RequestToSign, body: Buffer): Promise<Record<string, string>> {
  if (body.length === 0) return signRequest(toSign);
  // The media type stays as it was sent.
  const { 'content-type': _, ...signed } = await signRequestWithBody({ ...toSign, body });
  return signed;
}

/** Starts a proxy before a service. */
export async function startSigningProxy(target: string, signerOf: ChooseSigner): Promise<SigningProxy> {
  const server: Server = createServer(async (request, response) => {
    const { url: path = '/', method = 'GET', headers } = request;
    const signer = headers.signature === SIGN_THIS ? signerOf(path) : undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const signed =
      signer === undefined
        ? {}
        : await sign({ signer, method, url: `http://${headers.host}${path}`, time: systemTime }, body);
    const passed = send(target + path, { method, headers: { ...headers, ...signed } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    passed.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
