import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type RequestToSign, signRequest, signRequestWithBody, systemTime } from '@payouts/client';
import { type Loopback, serveLoopback } from '@payouts/testing/loopback';
import type { MessagePartialSigner } from '@solana/kit';

/** What a request has for a signature that wants one of the proxy. */
export const SIGN_THIS = 'by-the-proxy';

/** Who signs a request for this path. */
export type ChooseSigner = (path: string) => MessagePartialSigner;

async function sign(toSign: RequestToSign, body: Buffer): Promise<Record<string, string>> {
  if (body.length === 0) return signRequest(toSign);
  // The media type stays as it was sent.
  const { 'content-type': _, ...signed } = await signRequestWithBody({ ...toSign, body });
  return signed;
}

/** Starts a proxy before a service, which passes every request on and signs those that ask for it. */
export function startSigningProxy(target: string, signerOf: ChooseSigner): Promise<Loopback> {
  return serveLoopback(async (request, response) => {
    const { url: path = '/', method = 'GET', headers } = request;
    const signer = headers.signature === SIGN_THIS ? signerOf(path) : undefined;
    const body = await buffer(request);
    const signed =
      signer === undefined ? {} : await sign({ signer, method, url: target + path, time: systemTime }, body);
    const passed = send(
      target + path,
      { method, headers: { ...headers, host: new URL(target).host, ...signed } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    passed.end(body);
  });
}
