import { settingSpecs } from '../../packages/coordinator/dist/config/specs.js';

const specs = settingSpecs(false);

/** A world's coordinator looks more often than the service does by itself; these undo it. */
export const SERVICE_DEFAULTS: Readonly<Record<string, string>> = {
  POLL_INTERVAL_MS: String(specs.pollIntervalMs.default),
  WITHDRAWAL_INTERVAL_MS: String(specs.withdrawalIntervalMs.default),
  WITHDRAWAL_BATCH_SECONDS: String(specs.withdrawalBatchSeconds.default),
};
