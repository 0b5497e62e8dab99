import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programOf } from '../src/backup/server.ts';
import { testBackups } from './support/backups.ts';
import { temporaryFolder } from './support/temporary.ts';

// A server's are in test/e2e/server-backup.test.ts: they need the system's pg_dump.
describe('backups of the embedded database', () => testBackups(undefined));

it('says what to run where no program of the server’s version is', async () => {
  const folder = temporaryFolder();
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6"\n');
  chmodSync(join(programs, 'pg_dump'), 0o755);
  expect(await programOf('pg_dump', 9, [programs])).toBe(join(programs, 'pg_dump'));
  expect(await programOf('pg_dump', 10, [programs])).toBeUndefined();
});
