const PREFIX = 'payouts.sent.';

/** Under which name the browser's storage has a transaction whose end is not known. */
export const keptName = (signature: string): string => `${PREFIX}${signature}`;

/** The names of all of them. */
export const keptNames = (storage: Storage): string[] =>
  Array.from({ length: storage.length }, (_, place) => storage.key(place) ?? '').filter((name) =>
    name.startsWith(PREFIX),
  );

/** Whether a page was left in this browser while it sent something. */
export function isSomethingKept(): boolean {
  try {
    return keptNames(localStorage).length > 0;
  } catch {
    // Closed to this page, as in some private windows.
    return false;
  }
}
