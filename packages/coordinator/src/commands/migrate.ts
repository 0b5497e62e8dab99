import { readSettings } from '../config/settings.ts';
import { startupError } from '../startupError.ts';
import { openDatabaseBeside } from '../store/db/openDatabase.ts';
import { prepareDatabase } from '../store/db/prepare.ts';
import { command, show } from './command.ts';

/** Brings the database's tables to this version, the service's and the engine's. */
export const migrate = command({
  synopsis: '[--json]',
  summary: "brings the database's tables to this version; while coordinators run, too",
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, _, { time }) {
    const settings = readSettings(process.env);
    const database = await openDatabaseBeside({ ...settings, onError: () => {} });
    try {
      const done = await prepareDatabase(database, settings.databaseUrl, time);
      await show(json, { done }, [done.length === 0 ? 'Nothing to do.' : `Done: ${done.join(', ')}.`]);
      return 0;
    } catch (error) {
      throw startupError(error, settings);
    } finally {
      await database.close();
    }
  },
});
