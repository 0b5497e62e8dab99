import { type OwnToken, ownTokens, type Time } from '@payouts/client';
import { signal } from '@preact/signals';
import { account } from './account.ts';

/** What is theirs, as it was read last; `at` in unix milliseconds. */
export type Money = { readonly tokens: readonly OwnToken[]; readonly at: number };

export const money = signal<Money | undefined>(undefined);
/** Why the last look failed; undefined: it did not. */
export const moneyError = signal<unknown>(undefined);

/** Milliseconds between two looks. */
const LOOK_MS = 5_000;

/** Looks at what is theirs. Says so in `moneyError` if that fails; what was read before stays. */
export async function readMoney(time: Pick<Time, 'now'>): Promise<void> {
  const reader = account.value;
  if (reader === undefined) return;
  try {
    const { balances } = await reader.client.balances();
    // Somebody else may have signed in meanwhile.
    if (account.value !== reader) return;
    money.value = { tokens: ownTokens(balances), at: time.now() };
    moneyError.value = undefined;
  } catch (error) {
    moneyError.value = error;
  }
}

/** Keeps `money` true for as long as somebody is signed in and looks; returns what ends it. */
export function watchMoney(time: Time): () => void {
  void readMoney(time);
  const timer = time.every(LOOK_MS, () => {
    if (!document.hidden) void readMoney(time);
  });
  return () => {
    timer.cancel();
    money.value = undefined;
    moneyError.value = undefined;
  };
}
