import { Error as EngineError } from '@dbos-inc/dbos-sdk';
import { ensureSystemDatabase, verifySystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database';
import type { Pool } from 'pg';

/** The schema of the engine's tables. */
export const ENGINE_SCHEMA = 'dbos';
/** Workflows that ended so: the engine can start them over. */
export const ENDED: readonly string[] = ['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'];
/** Shown only in the engine's own messages, which nobody sees. */
const NO_URL = 'postgres://pool';

type EngineLogger = Parameters<typeof ensureSystemDatabase>[1];
/** What its migrations say is of no use: an error is thrown. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} } as unknown as EngineLogger;

/** Whether the engine's tables are missing or of an older version. */
export async function engineIsPending(pool: Pool): Promise<boolean> {
  try {
    await verifySystemDatabase(NO_URL, SILENT, pool, ENGINE_SCHEMA, false);
    return false;
  } catch (error) {
    if (error instanceof EngineError.DBOSInitializationError) return true;
    throw error;
  }
}

/** Brings the engine's tables to the version of its library. Never two at a time: they would fail in each other's statements. */
export async function migrateEngine(pool: Pool): Promise<void> {
  await ensureSystemDatabase(NO_URL, SILENT, pool, ENGINE_SCHEMA, false);
}
