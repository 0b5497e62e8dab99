import { type Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';

/** What came back. Status 0: the connection ended, or nothing came in time. */
export type Answer = {
  readonly status: number;
  /** The stable code of an error, if its body has one. */
  readonly code: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly ms: number;
};

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A request; `from`: the loopback address that it comes from. */
export type Request = {
  readonly from: string;
  readonly method?: string;
  /** As it goes over the wire: nothing of it is made canonical. */
  readonly path: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
  readonly withinMs?: number;
  /** Has connections that are used again; without it each request has one of its own. */
  readonly agent?: Agent;
};

const WITHIN_MS = 60_000;

export function codeOf(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Sends a request. Never throws: an attack's connection may end at any time. */
export function ask(
  url: string,
  { from, method = 'GET', path, headers, body, withinMs, agent }: Request,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const began = performance.now();
  return new Promise((resolve) => {
    const nothing = () => resolve({ status: 0, code: undefined, headers: {}, body: '', ms: performance.now() - began });
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = send(
      {
        host: hostname,
        port,
        localAddress: from,
        method,
        path,
        agent: agent ?? false,
        headers: { ...length, ...headers } as Record<string, string | string[]>,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', nothing);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            code: codeOf(text),
            headers: response.headers,
            body: text,
            ms: performance.now() - began,
          });
        });
      },
    );
    request.setTimeout(withinMs ?? WITHIN_MS, () => request.destroy());
    request.on('error', nothing);
    request.on('close', nothing);
    request.end(body);
  });
}

/** A bare connection from an address. */
export function connectFrom(url: string, from: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  socket.on('error', () => {});
  return socket;
}

/** Sends bytes as they are and reads until the other side ends the connection, or for so long; what came, as answers. */
export function sendBytes(url: string, from: string, bytes: string | Uint8Array, withinMs = 15_000): Promise<Answer[]> {
  const socket = connectFrom(url, from);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.setTimeout(withinMs, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(answersIn(Buffer.concat(chunks))));
    socket.write(bytes);
  });
}

const HEAD_END = '\r\n\r\n';

/** The answers that stand one behind another in what a connection brought. */
function answersIn(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf(HEAD_END);
    const [first = '', ...lines] = rest.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
    const status = /^HTTP\/1\.[01] ([0-9]{3})/.exec(first)?.[1];
    if (end < 0 || status === undefined) return answers;
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const at = line.indexOf(':');
      headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
    }
    const begins = end + HEAD_END.length;
    const length = status.startsWith('1') ? 0 : Number(headers['content-length'] ?? rest.length - begins);
    const body = rest.subarray(begins, begins + length).toString('utf8');
    if (!status.startsWith('1')) answers.push({ status: Number(status), code: codeOf(body), headers, body, ms: 0 });
    rest = rest.subarray(begins + length);
  }
}

/** The bytes of a request whose headers are given one by one; the connection ends behind its answer. */
export function requestBytes(
  first: string,
  headers: readonly (readonly [name: string, value: string])[],
  body = '',
): string {
  const lines = [...headers, ['Connection', 'close'] as const].map(([name, value]) => `${name}: ${value}`);
  return `${[first, ...lines].join('\r\n')}${HEAD_END}${body}`;
}
