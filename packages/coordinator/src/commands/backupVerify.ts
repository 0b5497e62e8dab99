import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { factsOf } from '../backup/embedded.ts';
import { readBackup } from '../backup/file.ts';
import { isReadable } from '../backup/server.ts';
import { BackupFailed, manifestText } from '../store/db/manifest.ts';
import { command, fileOperand, show } from './command.ts';

/** Needs no settings, no database and no key. */
export const backupVerify = command({
  synopsis: 'FILE [--json]',
  summary: 'reads a backup to its end, compares it with what was written, and opens it',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, operands) {
    const file = fileOperand(operands);
    const folder = await mkdtemp(join(tmpdir(), 'payouts-backup-'));
    try {
      const database = join(folder, 'database');
      const manifest = await readBackup(file, database);
      let opened: boolean | undefined;
      if (manifest.kind === 'server') opened = await isReadable(database, manifest);
      else {
        const { migration, schedules, runs, openRuns, payloadKeys } = manifest;
        const { postgres: _, ...facts } = (await factsOf(database)) as typeof manifest;
        opened = isDeepStrictEqual(facts, { migration, schedules, runs, openRuns, payloadKeys });
      }
      if (opened === false) throw new BackupFailed(`${file} can't be opened as a database. Take another backup.`);
      await show(json, { file, ...manifest, opened: opened ?? null }, [
        `Sound: ${manifestText(manifest)}`,
        `Payload keys that open it: ${manifest.payloadKeys.join(', ') || 'none is needed'}.`,
        ...(opened === undefined ? ['It has not been opened: pg_restore is not here, or too old.'] : []),
      ]);
      return 0;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
