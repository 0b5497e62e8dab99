import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '@payouts/client';
import { Problem, problemBody } from '../domain/problems.ts';

/** What Node's parser says of a request that never became one. */
function problemOf({ code }: NodeJS.ErrnoException): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request took too long to arrive.');
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', 'The request line and headers are too long together.');
    default:
      return new Problem('malformed-request', 'The request is not HTTP/1.1.');
  }
}

/** Answers what is no request, on the bare connection, and ends that. Returns the status, if there was anybody to answer. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  time: Pick<Time, 'now'>,
): number | undefined {
  // Node's own way to tell whether an answer is on its way already, which another one would cut in two.
  const { _httpMessage: answering } = socket as Socket & { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent === true) {
    socket.destroy();
    return undefined;
  }
  const problem = problemOf(error);
  const body = JSON.stringify(problemBody(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date(time.now()).toUTCString()}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  // A connection that ended within a request: the request is counted as aborted.
  return error.code === 'HPE_INVALID_EOF_STATE' ? undefined : problem.status;
}
