import { withoutSecrets } from './secrets.ts';

/**
 * Settings that contradict each other or can't be read. The message names each setting and says how to fix it; what is secret of the
 * values in it is left out.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(message: string) {
    super(withoutSecrets(message));
  }
}
