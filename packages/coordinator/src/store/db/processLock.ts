import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';

/** Another process uses the embedded database. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/** The locked file; it holds the name of whoever has the lock, for messages alone, and stays. */
const FILE = 'coordinator.lock';

/**
 * Takes the embedded database in `directory` for this process; a second process would destroy it. The kernel holds the lock on the open
 * file, whatever container a process is in, and lets it go when the process ends, however it does. Returns what gives it back. Throws
 * `DatabaseInUse`.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, FILE);
  const held = openSync(file, 'a+', 0o600);
  if (!tryLock(held)) {
    closeSync(held);
    throw new DatabaseInUse(
      `Another coordinator (${readFileSync(file, 'utf8')}) uses the embedded database in ${directory}. Stop it, or give this ` +
        'one its own DATA_DIR, or set DATABASE_URL to a Postgres server that several may share.',
    );
  }
  ftruncateSync(held);
  writeSync(held, `process ${process.pid} of host ${hostname()}`);
  return () => closeSync(held);
}
