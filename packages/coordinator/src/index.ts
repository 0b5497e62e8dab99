export { readSettings, type Settings, SettingsError } from './config/settings.ts';
export { settingsTable } from './config/table.ts';
export { type Coordinator, createCoordinator } from './coordinator.ts';
export { owedProof } from './owed/proof.ts';
