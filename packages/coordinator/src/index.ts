export { readSettings, type Settings, SettingsError } from './config/settings.ts';
export { settingsTable } from './config/table.ts';
export { type Coordinator, createCoordinator } from './coordinator.ts';
export type { RunKey } from './domain/run.ts';
export { owedProof } from './owed/proof.ts';
