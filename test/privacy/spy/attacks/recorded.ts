import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';

const [HANDSHAKE, SERVER_HELLO] = [22, 2];
const TLS_1_3 = 0x0304;
const SUPPORTED_VERSIONS = 43;
/** Bytes before the session's name: record's head 5, message's head 4, version 2, random 32. */
const SESSION_AT = 43;

/**
 * Recorded connections: those that the server's key opens afterwards. In TLS 1.3 it opens none, since it only signs and the keys are agreed afresh for each
 * connection; earlier versions, and what isn't TLS, count as open.
 */
export function recorded({ traffic, keys }: Evidence): Outcome {
  const answers = new Map<number, Buffer[]>();
  for (const { connection, way, bytes } of traffic) {
    const pieces = answers.get(connection) ?? [];
    answers.set(connection, pieces);
    if (way === 'back') pieces.push(Buffer.from(bytes, 'base64'));
  }
  const open = [...answers].filter(
    ([, pieces]) => keys.tls !== undefined && versionOf(Buffer.concat(pieces)) !== TLS_1_3,
  );
  const claims = open.map(([connection]): Claim => {
    return { kind: 'said', subject: String(connection), object: '', isCertain: true };
  });
  return { looked: `${answers.size} recorded connections`, claims };
}

/** The version of TLS that a server's first message chooses; undefined: that isn't one. */
function versionOf(answer: Buffer): number | undefined {
  if (answer[0] !== HANDSHAKE || answer[5] !== SERVER_HELLO) return undefined;
  const extensionsAt = SESSION_AT + 1 + (answer[SESSION_AT] as number) + 3;
  const end = extensionsAt + 2 + answer.readUInt16BE(extensionsAt);
  for (let at = extensionsAt + 2; at + 6 <= end; at += 4 + answer.readUInt16BE(at + 2)) {
    if (answer.readUInt16BE(at) === SUPPORTED_VERSIONS) return answer.readUInt16BE(at + 4);
  }
  return answer.readUInt16BE(9);
}
