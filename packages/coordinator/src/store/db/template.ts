import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { PACKAGE_FOLDER } from '../../platform/packageFolder.ts';
import { MIGRATIONS } from './migrate.ts';

const { dependencies } = createRequire(PACKAGE_FOLDER)('./package.json') as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Bytes unpacked between two turns of the event loop. */
const AT_ONCE = 1_000_000;
const OWNER_ONLY = 0o700;

/**
 * The file of an embedded database that has all tables of this version and nothing in them. It is there if it was built: see
 * buildTemplate.ts. Its name says what its tables are made by.
 */
export function templateFile(): string {
  const libraries = [dependencies['@electric-sql/pglite'], dependencies['graphile-worker']];
  const made = JSON.stringify([...libraries, MIGRATIONS]);
  const key = createHash('sha256').update(made).digest('hex').slice(0, 16);
  // Sources and what is built of them share it.
  return fileURLToPath(new URL(`dist/embedded-${key}.tgz`, PACKAGE_FOLDER));
}

/** Unpacks a template into a new folder, before anything else runs: a thousand small files are written three times as fast at once. */
export async function unpackTemplate(file: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  const archive = extract();
  const source = pipeline(createReadStream(file), createGunzip({ chunkSize: AT_ONCE }), archive);
  source.catch(() => {});
  for await (const entry of archive) {
    const path = join(folder, entry.header.name);
    if (entry.header.type === 'directory') {
      mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
      entry.resume();
    } else {
      writeFileSync(path, await buffer(entry as AsyncIterable<Buffer>));
    }
  }
  await source;
}
