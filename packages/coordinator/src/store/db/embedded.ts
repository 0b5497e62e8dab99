import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';
import { BoundedClient, type BoundedConfig } from './client.ts';
import { type EmbeddedDump, serveDatabase } from './databaseSocket.ts';
import { FACTS } from './manifest.ts';
import { lockDirectory } from './processLock.ts';
import { StatementNames } from './statementNames.ts';
import { templateFile, unpackTemplate } from './template.ts';

/** Name of the database's folder in the coordinator's. */
export const CLUSTER = 'postgres';
/** One process and one session need little cache; the default of 128 MB would be most of this service's memory. */
const SERVER_SETTINGS = ['shared_buffers = 16MB'];
/** Milliseconds to wait for the session while others have it, one of whom may be making a backup. */
const SESSION_MS = 60_000;

/** From the template in a moment, where that was built; else in some ten seconds and 700 MB. */
async function createCluster(cluster: string): Promise<void> {
  // Created under another name, so that a process killed in the middle leaves nothing that looks whole.
  const unfinished = `${cluster}.creating`;
  rmSync(unfinished, { recursive: true, force: true });
  const template = templateFile();
  if (existsSync(template)) await unpackTemplate(template, unfinished);
  else await PGlite.create(unfinished).then((database) => database.close());
  renameSync(unfinished, cluster);
}

/** A pool of one connection: PGlite has one session, so whoever has the connection has the database to themselves. */
function poolOver(database: PGlite, onError: (error: Error) => void): pg.Pool {
  const names = new StatementNames();
  class EmbeddedClient extends BoundedClient {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, names, connection: createPgConfig(database).connection } as BoundedConfig);
    }
  }
  const pool = new pg.Pool({
    Client: EmbeddedClient,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: SESSION_MS,
    // The session outlives a connection that was given up, with its transaction and its prepared statements.
    onConnect: async (client) => {
      await client.query('rollback');
      await client.query('discard all');
    },
  });
  pool.on('error', onError);
  return pool;
}

/** An embedded database that this process has to itself. */
export type Embedded = {
  readonly pool: pg.Pool;
  /** All of it as of one moment, between the statements of others. */
  readonly dump: () => Promise<EmbeddedDump>;
  readonly close: () => Promise<void>;
};

/** Opens the embedded database under `directory`, creating it the first time. Throws `DatabaseInUse`. */
export async function openEmbedded(directory: string, onError: (error: Error) => void): Promise<Embedded> {
  const unlock = lockDirectory(directory);
  try {
    const cluster = join(directory, CLUSTER);
    if (!existsSync(cluster)) await createCluster(cluster);
    // Postgres as compiled once is as fast here as compiled twice, and 70 MB smaller.
    setFlagsFromString('--liftoff-only');
    const database = await PGlite.create({ dataDir: cluster, postgresqlconf: SERVER_SETTINGS });
    const pool = poolOver(database, onError);
    const dump = async (): Promise<EmbeddedDump> => {
      const client = await pool.connect();
      try {
        await client.query('checkpoint');
        const { rows } = await client.query<EmbeddedDump['facts']>(FACTS);
        const archive = await database.dumpDataDir('gzip');
        return { facts: rows[0] as EmbeddedDump['facts'], bytes: new Uint8Array(await archive.arrayBuffer()) };
      } finally {
        client.release();
      }
    };
    const endServing = serveDatabase(directory, { pool, dump });
    const close = async () => {
      endServing();
      await pool.end();
      await database.close();
      unlock();
    };
    return { pool, dump, close };
  } catch (error) {
    unlock();
    throw error;
  }
}
