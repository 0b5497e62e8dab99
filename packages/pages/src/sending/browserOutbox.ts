import { type KeptTransactions, keptFromText, keptToText } from '@payouts/client';
import type { Signature } from '@solana/kit';
import { keptName, keptNames } from './keptNames.ts';

/** What of a browser is needed: its storage, and locks that other tabs see and that end with the tab. */
export type BrowserParts = { readonly storage: Storage; readonly locks: Pick<LockManager, 'query' | 'request'> };

/**
 * Keeps what a tab sends in the browser's storage until its end is known. While the tab is at work on it, it holds a lock, which a reload or a
 * crash gives back. What stands there is public: it is what the ledger gets.
 */
export function browserOutbox({ storage, locks }: BrowserParts): KeptTransactions {
  const release = new Map<string, () => void>();
  const isAtWork = async () => {
    const { held = [] } = await locks.query();
    return new Set(held.map(({ name }) => name));
  };
  return {
    async put(kept) {
      const name = keptName(kept.signature);
      await new Promise<void>((resolve) => {
        void locks.request(name, () => {
          resolve();
          return new Promise<void>((released) => release.set(name, released));
        });
      });
      storage.setItem(name, keptToText(kept));
    },
    async drop(signature: Signature) {
      const name = keptName(signature);
      storage.removeItem(name);
      release.get(name)?.();
      release.delete(name);
    },
    async orphans() {
      const names = keptNames(storage);
      const busy = await isAtWork();
      return names
        .filter((name) => !busy.has(name))
        .flatMap((name) => {
          const text = storage.getItem(name);
          return text === null ? [] : [keptFromText(text)];
        });
    },
  };
}
