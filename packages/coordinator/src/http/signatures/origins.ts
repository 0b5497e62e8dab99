import type { FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problems.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import { authorityOf } from './components.ts';

/** Where clients address this service. */
export type Origins = {
  /** Scheme, host and port as `PUBLIC_ORIGINS` names them, such as `https://payouts.example.com`. */
  readonly listed: readonly string[];
  /** Whether it listens on this machine alone, so that without a list its own names there are good. */
  readonly isLoopback: boolean;
};

/** An origin that a signed request was made for. */
export type Origin = { readonly scheme: string; readonly authority: string; readonly text: string };

/**
 * The origin that a request addresses, among those that this service has: what the request says of itself only chooses one of them, so
 * that nothing is good here that was signed for somebody else. Throws `public-origins-unset` or `public-origins-mismatch`.
 */
export function originOf(request: FastifyRequest, { listed, isLoopback }: Origins): Origin {
  if (listed.length > 0) return chosen(request, listed.map(read));
  if (!isLoopback) {
    throw new Problem(
      'public-origins-unset',
      'Signed requests are refused until PUBLIC_ORIGINS names where this service is addressed.',
    );
  }
  return chosen(request, ownOrigins(request));
}

function chosen(request: FastifyRequest, origins: readonly Origin[]): Origin {
  const fitting = origins.filter(({ scheme, authority }) => authorityOf({ scheme, host: request.host }) === authority);
  const [origin] = fitting.toSorted(
    (a, b) => Number(b.scheme === request.protocol) - Number(a.scheme === request.protocol),
  );
  if (origin !== undefined) return origin;
  throw new Problem('public-origins-mismatch', 'The request addresses none of the origins that PUBLIC_ORIGINS names.');
}

/** This machine's names, with the port that the request came in at: what another port serves is somebody else's. */
function ownOrigins({ hostname, protocol, socket }: FastifyRequest): Origin[] {
  return isLoopbackHost(hostname) ? [read(`${protocol}://${hostname}:${socket.localPort}`)] : [];
}

function read(text: string): Origin {
  const { protocol, host, origin } = new URL(text);
  return { scheme: protocol.slice(0, -1), authority: host, text: origin };
}
