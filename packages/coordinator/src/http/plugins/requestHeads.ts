import type { FastifyInstance } from 'fastify';
import { Problem } from '../../domain/problems.ts';

/** Refuses what HTTP/1.1 does (RFC 9112, 3.2; RFC 9110, 10.1.1): requests without one `Host`, and with an `Expect` that nobody knows. */
export function refuseMalformedHeads(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { httpVersion, rawHeaders, headers } }) => {
    const hosts = rawHeaders.filter((text, place) => place % 2 === 0 && text.toLowerCase() === 'host').length;
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
      throw new Problem('malformed-request', 'The request must have one Host header.');
    }
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
      throw new Problem('expectation-failed', 'No other Expect than 100-continue is known.');
    }
  });
}
