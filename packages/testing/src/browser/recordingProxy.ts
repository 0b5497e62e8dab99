import { request as ask, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Loopback, serveLoopback } from '../loopback.ts';

/** One way of an exchange: how it begins, and what followed. */
type Message = { readonly head: string; readonly encoding: string; readonly body: Buffer[] };

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  '': (bytes) => bytes,
};

/**
 * Somebody between a browser and everybody else, who ends TLS: an HTTP proxy that keeps all that passes, both ways. It opens no tunnel, such as
 * for a websocket: what passes there could not be read as a whole.
 */
export class RecordingProxy {
  readonly #messages: Message[] = [];
  #loopback: Loopback | undefined;

  static async start(): Promise<RecordingProxy> {
    const proxy = new RecordingProxy();
    const loopback = await serveLoopback(async (request, response) => {
      const onward = ask(request.url ?? '', { method: request.method, headers: request.headers });
      const body = proxy.#keep(`${request.method} ${request.url}`, request);
      const answered = new Promise<IncomingMessage>((resolve, reject) =>
        onward.once('response', resolve).once('error', reject),
      );
      // Who leaves in the middle of a stream is no longer answered.
      response.once('close', () => onward.destroy());
      await Promise.all([pipeline(request, passing(body), onward), answered]);
      const answer = await answered;
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      // A stream has begun before anything happens in it.
      response.flushHeaders();
      await pipeline(answer, passing(proxy.#keep(String(answer.statusCode), answer)), response);
    });
    loopback.server.on('connect', (request: IncomingMessage, socket) => {
      proxy.#keep(`CONNECT ${request.url}`, request);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    proxy.#loopback = loopback;
    return proxy;
  }

  get url(): string {
    return this.#loopback?.url ?? '';
  }

  /** All that has passed so far, uncompressed. */
  get passed(): Buffer {
    return Buffer.concat(
      this.#messages.flatMap(({ head, encoding, body }) => [Buffer.from(head), bodyOf(encoding, body)]),
    );
  }

  #keep(first: string, message: IncomingMessage): Buffer[] {
    const body: Buffer[] = [];
    const encoding = message.headers['content-encoding'] ?? '';
    this.#messages.push({ head: `\n${first}\n${message.rawHeaders.join('\n')}\n\n`, encoding, body });
    return body;
  }
}

const bodyOf = (encoding: string, body: readonly Buffer[]): Buffer => {
  const decode = DECODERS[encoding];
  if (decode === undefined) throw new Error(`The proxy can't read what is encoded as ${encoding}.`);
  return decode(Buffer.concat(body));
};

/** Passes on what it keeps. */
const passing = (kept: Buffer[]) =>
  async function* (stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const bytes of stream) {
      kept.push(bytes);
      yield bytes;
    }
  };
