import { invalid } from './message.ts';

/** A request as far as a signature can cover it. */
export type RequestParts = {
  readonly method: string;
  /** `http` or `https`, as the client used it. */
  readonly scheme: string;
  /** Whom the client addressed, with the port if it wrote one. */
  readonly host: string;
  /** Path and query exactly as they were sent. */
  readonly target: string;
  /** Names and values in turn, exactly as they were sent. */
  readonly rawHeaders: readonly string[];
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
const FIELD_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** The value of a covered component (RFC 9421, 2.1 and 2.2). Throws `signature-invalid` for one that the request does not have. */
export function componentValue(request: RequestParts, name: string): string {
  const queryAt = request.target.indexOf('?');
  switch (name) {
    case '@method':
      return request.method;
    case '@scheme':
      return request.scheme;
    case '@authority':
      return authorityOf(request);
    case '@target-uri':
      return `${request.scheme}://${authorityOf(request)}${request.target}`;
    case '@request-target':
      return request.target;
    case '@path':
      return queryAt < 0 ? request.target : request.target.slice(0, queryAt);
    case '@query':
      return queryAt < 0 ? '?' : request.target.slice(queryAt);
    default:
      return fieldValue(request, name);
  }
}

/** A host in lower case, without the scheme's default port. */
export function authorityOf({ host, scheme }: Pick<RequestParts, 'host' | 'scheme'>): string {
  const written = host.toLowerCase();
  const port = DEFAULT_PORTS[scheme];
  return port !== undefined && written.endsWith(port) ? written.slice(0, -port.length) : written;
}

function fieldValue({ rawHeaders }: RequestParts, name: string): string {
  const values: string[] = [];
  for (let place = 0; place + 1 < rawHeaders.length; place += 2) {
    if (rawHeaders[place]?.toLowerCase() === name) values.push((rawHeaders[place + 1] as string).trim());
  }
  if (!FIELD_NAME.test(name) || values.length === 0) {
    throw invalid('A component is covered that the request does not have or that is not supported');
  }
  return values.join(', ');
}
