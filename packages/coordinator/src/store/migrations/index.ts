import type { Migration } from 'kysely';
import * as initial from './0001_initial.ts';
import * as liabilities from './0002_liabilities.ts';
import * as service from './0003_service.ts';
import * as leases from './0004_leases.ts';
import * as settlements from './0005_settlements.ts';
import * as runs from './0006_runs.ts';
import * as reconciliation from './0007_reconciliation.ts';
import * as attempts from './0008_attempts.ts';
import * as quotes from './0009_quotes.ts';
import * as grants from './0010_grants.ts';
import * as recipients from './0011_recipients.ts';
import * as events from './0012_events.ts';
import * as dashboard from './0013_dashboard.ts';
import * as proposals from './0014_proposals.ts';

/** Every migration, in order of its number. One that has been released never changes. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_initial': initial as Migration,
  '0002_liabilities': liabilities as Migration,
  '0003_service': service as Migration,
  '0004_leases': leases as Migration,
  '0005_settlements': settlements as Migration,
  '0006_runs': runs as Migration,
  '0007_reconciliation': reconciliation as Migration,
  '0008_attempts': attempts as Migration,
  '0009_quotes': quotes as Migration,
  '0010_grants': grants as Migration,
  '0011_recipients': recipients as Migration,
  '0012_events': events as Migration,
  '0013_dashboard': dashboard as Migration,
  '0014_proposals': proposals as Migration,
};
