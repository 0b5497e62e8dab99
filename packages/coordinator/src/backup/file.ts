import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { BackupFailed, type Facts, type Manifest } from '../store/db/manifest.ts';

/** A database that is to be backed up, as of one moment. */
export type Dump = {
  readonly kind: Manifest['kind'];
  readonly facts: Facts & Pick<Manifest, 'postgres'>;
  /** Writes the database into a file that is there and empty. */
  write(file: string): Promise<void>;
};

const MANIFEST = 'manifest.json';
const DATABASE = 'database';
/** More than any manifest has. */
const MANIFEST_BYTES = 1_000_000;
const OWNER_ONLY = 0o600;

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Makes sure that what was written stays after a power cut. */
async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Writes a backup: a tar archive of a manifest and the database, readable by its owner alone. The file is there whole or not at all.
 * Throws `BackupFailed` if there is one already.
 */
export async function writeBackup(file: string, dump: Dump, createdAt: Date): Promise<Manifest> {
  const [database, draft] = [`${file}.database`, `${file}.unfinished`];
  try {
    for (const path of [database, draft]) await (await open(path, 'wx', OWNER_ONLY)).close();
    await dump.write(database);
    const { size: bytes } = await stat(database);
    const { kind, facts } = dump;
    const sha256 = await hashOf(database);
    const manifest: Manifest = { format: 1, kind, createdAt: createdAt.toISOString(), ...facts, bytes, sha256 };
    const archive = pack();
    const header = { mode: OWNER_ONLY, mtime: createdAt };
    archive.entry({ name: MANIFEST, ...header }, `${JSON.stringify(manifest, null, 2)}\n`);
    const entry = archive.entry({ name: DATABASE, size: bytes, ...header });
    const packed = pipeline(createReadStream(database), entry).then(() => archive.finalize());
    await Promise.all([packed, pipeline(archive, createWriteStream(draft, { flags: 'r+' }))]);
    await synced(draft);
    // Unlike a rename, this never takes another file's place.
    await link(draft, file);
    await synced(dirname(file));
    return manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const { path, dest } = error as { path?: string; dest?: string };
    throw new BackupFailed(`${dest ?? path} is there already: name another file, or remove it.`);
  } finally {
    await Promise.all([database, draft].map((path) => rm(path, { force: true })));
  }
}

/** Reads a backup and writes its database into a new file. Throws `BackupFailed` if it is damaged. */
export async function readBackup(file: string, into: string): Promise<Manifest> {
  let manifest: Manifest | undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  const database = await open(into, 'wx', OWNER_ONLY);
  const archive = extract();
  const source = pipeline(createReadStream(file), archive);
  source.catch(() => {});
  try {
    for await (const entry of archive) {
      const { name, size = 0 } = entry.header;
      if (name === MANIFEST && Number(size) <= MANIFEST_BYTES) {
        manifest = manifestOf(await text(entry as AsyncIterable<Buffer>));
        continue;
      }
      if (name !== DATABASE) throw new BackupFailed(`${file} is no backup of this service.`);
      for await (const chunk of entry as AsyncIterable<Buffer>) {
        hash.update(chunk);
        bytes += chunk.length;
        await database.write(chunk);
      }
    }
    await source;
  } catch (error) {
    if (error instanceof BackupFailed) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new BackupFailed(`There is no file ${file}.`);
    throw new BackupFailed(`${file} can't be read as a backup: it is damaged, or something else. Take another one.`);
  } finally {
    await database.close();
  }
  if (manifest === undefined) throw new BackupFailed(`${file} is no backup of this service.`);
  if (bytes !== manifest.bytes || hash.digest('hex') !== manifest.sha256) {
    throw new BackupFailed(`${file} is damaged: its database is not the one that was written. Take another backup.`);
  }
  return manifest;
}

function manifestOf(written: string): Manifest {
  const manifest = JSON.parse(written) as Manifest;
  if (manifest.format === 1) return manifest;
  throw new BackupFailed('The backup was made by a newer version of this service: restore it with that one.');
}
