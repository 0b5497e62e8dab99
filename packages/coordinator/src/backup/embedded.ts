import { existsSync, rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { askForDump } from '../store/db/databaseSocket.ts';
import { CLUSTER, openEmbedded } from '../store/db/embedded.ts';
import { BackupFailed, FACTS, type Facts } from '../store/db/manifest.ts';
import { lockDirectory } from '../store/db/processLock.ts';
import type { Dump } from './file.ts';

/**
 * The embedded database as of one moment: from the coordinator that runs on it, else from its folder. Throws `BackupFailed`, or
 * `DatabaseInUse` if another command has it.
 */
export async function dumpEmbedded(directory: string): Promise<Dump> {
  if (!existsSync(join(directory, CLUSTER))) {
    throw new BackupFailed(
      `There is no embedded database in ${directory}: is DATA_DIR the coordinator's, and DATABASE_URL unset?`,
    );
  }
  const { facts, bytes } = (await askForDump(directory)) ?? (await dumpFromFolder(directory));
  return { kind: 'embedded', facts, write: (file) => writeFile(file, bytes) };
}

async function dumpFromFolder(directory: string) {
  const { dump, close } = await openEmbedded(directory, () => {});
  return dump().finally(close);
}

/** Makes the embedded database from a backup's; it is there whole or not at all. Throws `BackupFailed` if there is one already. */
export async function restoreEmbedded(directory: string, dump: string): Promise<void> {
  const unlock = lockDirectory(directory);
  const cluster = join(directory, CLUSTER);
  const unfinished = `${cluster}.restoring`;
  try {
    if (existsSync(cluster)) {
      throw new BackupFailed(
        `There is an embedded database in ${directory}, and nothing is restored over it: move it away, or name another DATA_DIR.`,
      );
    }
    rmSync(unfinished, { recursive: true, force: true });
    const database = await PGlite.create({ dataDir: unfinished, loadDataDir: await blobOf(dump) });
    await database.close();
    await rename(unfinished, cluster);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    unlock();
  }
}

/** What stands in a backup's database, which is opened in memory for it. */
export async function factsOf(dump: string): Promise<Facts> {
  const database = await PGlite.create({ loadDataDir: await blobOf(dump) });
  try {
    return (await database.query<Facts>(FACTS)).rows[0] as Facts;
  } finally {
    await database.close();
  }
}

const blobOf = async (file: string): Promise<Blob> => new Blob([await readFile(file)], { type: 'application/x-gzip' });
