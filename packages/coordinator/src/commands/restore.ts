import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreEmbedded } from '../backup/embedded.ts';
import { readBackup } from '../backup/file.ts';
import { restoreServer } from '../backup/server.ts';
import { readSettings } from '../config/settings.ts';
import { startupError } from '../startupError.ts';
import { BackupFailed, manifestText } from '../store/db/manifest.ts';
import { MIGRATIONS } from '../store/db/migrate.ts';
import { placeOfKey } from './backup.ts';
import { command, fileOperand, show } from './command.ts';

/** No coordinator may run on the database that is filled. */
export const restore = command({
  synopsis: 'FILE [--json]',
  summary: 'fills an empty database from a backup, all of it or nothing',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, operands) {
    const file = fileOperand(operands);
    const settings = readSettings(process.env);
    const { databaseUrl, dataDir } = settings;
    const folder = await mkdtemp(join(tmpdir(), 'payouts-restore-'));
    try {
      const database = join(folder, 'database');
      const manifest = await readBackup(file, database);
      if (!Object.hasOwn(MIGRATIONS, manifest.migration)) {
        throw new BackupFailed(
          `The backup was made by a newer version of this service (${manifest.migration}): restore it with that one.`,
        );
      }
      if ((manifest.kind === 'embedded') !== (databaseUrl === undefined)) {
        throw new BackupFailed(
          manifest.kind === 'embedded'
            ? 'The backup is of an embedded database: restore it with DATA_DIR and without DATABASE_URL.'
            : 'The backup is of a PostgreSQL server: name an empty database with DATABASE_URL.',
        );
      }
      if (databaseUrl === undefined) await restoreEmbedded(dataDir, database);
      else await restoreServer(databaseUrl, database, manifest);
      const payloadKey = placeOfKey(settings);
      await show(json, { ...manifest, payloadKey }, [
        `Restored: ${manifestText(manifest)}`,
        `Payload keys that open it: ${manifest.payloadKeys.join(', ') || 'none is needed'}.`,
        `The one that is set is ${payloadKey}; keys show says its name.`,
        'Start one coordinator and compare with the ledgers: reconcile --fix.',
      ]);
      return 0;
    } catch (error) {
      throw startupError(error, settings);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
