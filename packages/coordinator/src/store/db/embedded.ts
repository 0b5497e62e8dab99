import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { type EmbeddedDump, serveDumps } from './dumpSocket.ts';
import { FACTS } from './manifest.ts';
import { PglitePool } from './pglitePool.ts';
import { lockDirectory } from './processLock.ts';
import { templateFile, unpackTemplate } from './template.ts';

/** One process and one session need little cache; the default of 128 MB would be most of this service's memory. */
const SERVER_SETTINGS = ['shared_buffers = 16MB'];

/** Run in a process of its own: creating a cluster takes about 700 MB for a moment, which this process would never give back. */
const CREATE = 'require(process.argv[1]).PGlite.create(process.argv[2]).then((database) => database.close())';

async function createEmpty(folder: string): Promise<void> {
  const library = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const child = spawn(process.execPath, ['-e', CREATE, library, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The embedded database could not be created in ${folder}: ${said.trim()}`);
}

/** From the template in a moment, where that was built; else in some ten seconds. */
async function createCluster(cluster: string): Promise<void> {
  // Created under another name, so that a process killed in the middle leaves nothing that looks whole.
  const unfinished = `${cluster}.creating`;
  rmSync(unfinished, { recursive: true, force: true });
  const template = templateFile();
  if (existsSync(template)) await unpackTemplate(template, unfinished);
  else await createEmpty(unfinished);
  renameSync(unfinished, cluster);
}

async function dumpOf(database: PGlite): Promise<EmbeddedDump> {
  await database.exec('CHECKPOINT');
  const { rows } = await database.query<EmbeddedDump['facts']>(FACTS);
  const archive = await database.dumpDataDir('gzip');
  return { facts: rows[0] as EmbeddedDump['facts'], bytes: new Uint8Array(await archive.arrayBuffer()) };
}

/** Name of the database's folder in the coordinator's. */
export const CLUSTER = 'postgres';

/** An embedded database that this process has to itself. */
export type Embedded = {
  readonly pool: PglitePool;
  /** All of it as of one moment, between the statements of others. */
  readonly dump: () => Promise<EmbeddedDump>;
  readonly close: () => Promise<void>;
};

/** Opens the embedded database under `directory`, creating it the first time. Throws `DatabaseInUse`. */
export async function openEmbedded(directory: string): Promise<Embedded> {
  const unlock = lockDirectory(directory);
  try {
    const cluster = join(directory, CLUSTER);
    if (!existsSync(cluster)) await createCluster(cluster);
    // Postgres as compiled once is as fast here as compiled twice, and 70 MB smaller.
    setFlagsFromString('--liftoff-only');
    const pool = new PglitePool(await PGlite.create({ dataDir: cluster, postgresqlconf: SERVER_SETTINGS }));
    const dump = () => pool.alone(dumpOf);
    const endDumps = serveDumps(directory, dump);
    const close = async () => {
      endDumps();
      await pool.end();
      unlock();
    };
    return { pool, dump, close };
  } catch (error) {
    unlock();
    throw error;
  }
}
