import type { Migration } from 'kysely';
import * as initial from './0001_initial.ts';
import * as owed from './0002_owed.ts';
import * as service from './0003_service.ts';

/** Every migration, in order of its number. One that has been released never changes. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_initial': initial as Migration,
  '0002_owed': owed as Migration,
  '0003_service': service as Migration,
};
