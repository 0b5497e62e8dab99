import { once } from 'node:events';
import { type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type RequestToSign, signRequest, signRequestWithBody, systemTime } from '@payouts/client';
import { type Loopback, serveLoopback } from '@payouts/testing/loopback';
import { untilAnswered } from '@payouts/testing/patience';
import type { MessagePartialSigner } from '@solana/kit';

/** What a request has for a signature that wants one of the proxy. */
export const SIGN_THIS = 'by-the-proxy';

/** Who signs a request for this path. */
export type ChooseSigner = (path: string) => MessagePartialSigner;

const isStandstill = (answer: Answer) =>
  answer.status === 503 && /"(database-unavailable|disconnected)"/.test(String(answer.body));

type Answer = { readonly status: number; readonly headers: string[]; readonly body: Buffer };

async function sign(toSign: RequestToSign, body: Buffer): Promise<Record<string, string>> {
  if (body.length === 0) return signRequest(toSign);
  // The media type stays as it was sent.
  const { 'content-type': _, ...signed } = await signRequestWithBody({ ...toSign, body });
  return signed;
}

/**
 * Starts a proxy before a service, which passes every request on, signs those that ask for it, and asks again, signed anew, where the service
 * answers that the database stands still: by design, and other tests' business. What it answers for longer is passed on.
 */
export function startPatientProxy(target: string, signerOf?: ChooseSigner): Promise<Loopback> {
  return serveLoopback(async (request, response) => {
    const { url: path = '/', method = 'GET', headers } = request;
    const signer = headers.signature === SIGN_THIS ? signerOf?.(path) : undefined;
    const body = await buffer(request);
    const answer = await untilAnswered(async (): Promise<Answer> => {
      const toSign = signer && { signer, method, url: target + path, time: systemTime };
      const signed = toSign === undefined ? {} : await sign(toSign, body);
      const passed = send(target + path, { method, headers: { ...headers, host: new URL(target).host, ...signed } });
      passed.end(body);
      const [answer] = (await once(passed, 'response')) as [IncomingMessage];
      return { status: answer.statusCode ?? 502, headers: answer.rawHeaders, body: await buffer(answer) };
    }, isStandstill);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
}
