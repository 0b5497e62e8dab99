import { SettingsError } from './config/settings.ts';
import type { Settings } from './config/specs.ts';
import { InstanceNameTaken } from './store/db/leases.ts';
import { DatabaseNewer } from './store/db/migrate.ts';
import { MigrationsPending } from './store/db/prepare.ts';
import { DatabaseInUse } from './store/db/processLock.ts';

/** Errors whose message says to an operator what to fix. */
const FOR_OPERATORS = [SettingsError, DatabaseInUse, DatabaseNewer, MigrationsPending, InstanceNameTaken];

/** PostgreSQL's and the network's codes of a database that can't be used as it is set, with their remedy. */
const DATABASE_TROUBLES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: start PostgreSQL or fix host and port',
  ENOTFOUND: 'there is no such host: fix it',
  EAI_AGAIN: 'its host name can not be looked up now: check the network',
  ETIMEDOUT: 'it does not answer: check host, port and the network',
  EHOSTUNREACH: 'its host can not be reached: check the network',
  ECONNRESET: 'it broke the connection off: check that PostgreSQL is running',
  '28P01': 'it refuses the password: fix it',
  '28000': 'it refuses the user: fix it, or pg_hba.conf',
  '3D000': 'it has no such database: create it (createdb)',
  '42501': 'its user may not create tables: grant it CREATE on the schema, or run the migrations as another user',
  '53300': 'it has no connections left: raise max_connections or lower DATABASE_POOL_SIZE',
  '57P03': 'it is starting or stopping: wait for it',
};

/** The remedy for an error of the database, or undefined if it is none of these. */
export function databaseError(error: unknown): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (/timeout/i.test(message)) return DATABASE_TROUBLES.ETIMEDOUT;
  return DATABASE_TROUBLES[code];
}

/** An error of the start in the name of the setting that fixes it, where there is one. */
export function startupError(error: unknown, settings: Settings): unknown {
  if (FOR_OPERATORS.some((kind) => error instanceof kind)) return new SettingsError((error as Error).message);
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    return new SettingsError(
      `PORT ${settings.port} is taken by another program: stop it or set another PORT (0: any free one).`,
    );
  }
  const trouble = settings.databaseUrl === undefined ? undefined : databaseError(error);
  return trouble === undefined ? error : new SettingsError(`DATABASE_URL can't be used: ${trouble}.`);
}
