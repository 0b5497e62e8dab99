import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** A bare connection to a server, from an address of this host if it is given, for what no HTTP client sends; it goes away with the test. */
export function connectRaw(url: string, localAddress?: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
  onTestFinished(() => {
    socket.destroy();
  });
  const began = performance.now();
  let text = '';
  /** Everything that came until the server ended the connection; `after`: milliseconds from the connection on. */
  const ended = new Promise<{ text: string; after: number }>((resolve) => {
    socket.on('data', (data) => {
      text += data.toString();
    });
    // A reset is an end too.
    socket.on('error', () => {});
    socket.on('close', () => resolve({ text, after: performance.now() - began }));
  });
  return { socket, ended };
}

/** An answer's parts as they came over the wire. */
export function parseRaw(text: string): { status: number; headers: Map<string, string>; body: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()] as const;
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}
