import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { deserialize, serialize } from 'node:v8';
import type { Facts, Manifest } from './manifest.ts';

/** An embedded database as of one moment: its data folder as a compressed archive, and what stands in it. */
export type EmbeddedDump = { readonly facts: Facts & Pick<Manifest, 'postgres'>; readonly bytes: Uint8Array };

const SOCKET = 'coordinator.sock';
/** Systems take no longer names for sockets; a coordinator in such a folder is to be stopped for a backup. */
const LONGEST_NAME = 100;

/**
 * Gives the embedded database's content to whoever may open a socket in its folder, which is its owner alone: another process can't read
 * it while this one has it. Returns what ends that.
 */
export function serveDumps(directory: string, dump: () => Promise<EmbeddedDump>): () => void {
  const path = join(directory, SOCKET);
  if (path.length > LONGEST_NAME) return () => {};
  const server = createServer((socket) => {
    socket.on('error', () => {});
    dump().then(
      (content) => socket.end(serialize(content)),
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

/** Asks the process that has an embedded database for its content; undefined if none answers, or not in full. */
export async function askForDump(directory: string): Promise<EmbeddedDump | undefined> {
  const socket = connect(join(directory, SOCKET));
  try {
    return deserialize(await buffer(socket)) as EmbeddedDump;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
