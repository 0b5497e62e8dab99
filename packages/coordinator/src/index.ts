export { type Coordinator, createCoordinator } from './app.ts';
export { readSettings, SettingsError } from './config/settings.ts';
export type { Settings } from './config/specs.ts';
export { settingsTable } from './config/table.ts';
export { liabilityProofs } from './liabilities/proof.ts';
