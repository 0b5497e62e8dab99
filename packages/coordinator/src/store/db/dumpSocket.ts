import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Facts, Manifest } from './manifest.ts';

/** An embedded database as of one moment: its data folder as a compressed archive, and what stands in it. */
export type EmbeddedDump = { readonly facts: Facts & Pick<Manifest, 'postgres'>; readonly bytes: Uint8Array };

const SOCKET = 'coordinator.sock';
/** Systems take no longer names for sockets; a coordinator in such a folder is to be stopped for a backup. */
const LONGEST_NAME = 100;
const LINE_END = 10;

/**
 * Gives the embedded database's content to whoever may open a socket in its folder, which is its owner alone: another process can't read
 * it while this one has it. Returns what ends that.
 */
export function serveDumps(directory: string, dump: () => Promise<EmbeddedDump>): () => void {
  const path = join(directory, SOCKET);
  if (path.length > LONGEST_NAME) return () => {};
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    dump().then(
      ({ facts, bytes }) => {
        socket.write(`${JSON.stringify({ facts, size: bytes.length })}\n`);
        socket.end(bytes);
      },
      () => socket.destroy(),
    );
  });
  server.on('error', () => {});
  rmSync(path, { force: true });
  server.listen(path);
  // Ends with the process, whatever else does.
  server.unref();
  return () => {
    server.close();
    rmSync(path, { force: true });
  };
}

/** Asks the process that has an embedded database for its content; undefined if none answers. */
export async function askForDump(directory: string): Promise<EmbeddedDump | undefined> {
  const socket = connect(join(directory, SOCKET));
  try {
    const answer = await buffer(socket);
    const end = answer.indexOf(LINE_END);
    const { facts, size } = JSON.parse(answer.subarray(0, end).toString('utf8')) as {
      facts: EmbeddedDump['facts'];
      size: number;
    };
    const bytes = answer.subarray(end + 1);
    return bytes.length === size ? { facts, bytes } : undefined;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
