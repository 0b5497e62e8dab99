export { type Coordinator, createCoordinator } from './app.ts';
export { readSettings, type Settings, SettingsError } from './config/settings.ts';
export { settingsTable } from './config/table.ts';
export { owedProof } from './liabilities/proof.ts';
