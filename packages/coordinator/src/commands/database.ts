import type { Time } from '@payouts/client';
import { readSettings } from '../config/settings.ts';
import type { Settings } from '../config/specs.ts';
import { startupError } from '../startupError.ts';
import { openDatabaseBeside } from '../store/db/openDatabase.ts';
import { readyDatabase } from '../store/db/prepare.ts';
import type { Db } from '../store/schema.ts';

/**
 * Reads the settings, opens their database for one command and closes it after; a coordinator may be running on it, also if it is the
 * embedded one. Throws `SettingsError`, or `DatabaseInUse` when whoever has the embedded database does not answer.
 */
export async function withDatabase<T>(time: Time, use: (database: Db, settings: Settings) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env);
  const database = await openDatabaseBeside({ ...settings, onError: () => {} });
  try {
    await readyDatabase(database, settings, time).catch((error: unknown) => {
      throw startupError(error, settings);
    });
    return await use(database.query, settings);
  } finally {
    await database.close();
  }
}
