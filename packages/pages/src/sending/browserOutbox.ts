import { type KeptTransactions, keptFromText, keptToText } from '@payouts/client';
import type { Signature } from '@solana/kit';

const PREFIX = 'payouts.sent.';
const nameOf = (signature: string): string => `${PREFIX}${signature}`;

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
      const name = nameOf(kept.signature);
      await new Promise<void>((resolve) => {
        void locks.request(name, () => {
          resolve();
          return new Promise<void>((released) => release.set(name, released));
        });
      });
      storage.setItem(name, keptToText(kept));
    },
    async drop(signature: Signature) {
      const name = nameOf(signature);
      storage.removeItem(name);
      release.get(name)?.();
      release.delete(name);
    },
    async orphans() {
      const names = Array.from({ length: storage.length }, (_, place) => storage.key(place) ?? '');
      const busy = await isAtWork();
      return names
        .filter((name) => name.startsWith(PREFIX) && !busy.has(name))
        .flatMap((name) => {
          const text = storage.getItem(name);
          return text === null ? [] : [keptFromText(text)];
        });
    },
  };
}
