/** Settings that contradict each other or can't be read. The message names each setting and says how to fix it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
