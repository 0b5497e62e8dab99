import { signedIn } from '@payouts/pages/session/session';
import { storeChoice, storedChoice } from '@payouts/pages/storage';
import { computed, signal } from '@preact/signals';
import type { Address } from '@solana/kit';

/** A treasury that somebody acts for: the multisig's own address, which of its vaults, and the address of that, which is the employer. */
export type ChosenTreasury = { readonly multisig: Address; readonly vaultIndex: number; readonly employer: Address };

/** What was chosen since the page was loaded, by wallet; null: none. */
const chosen = signal<Readonly<Record<string, ChosenTreasury | null>>>({});

const choiceOf = (wallet: string): string => `treasury.${wallet}`;

/** The treasury for which whoever is signed in acts; undefined: for themselves. */
export const chosenTreasury = computed((): ChosenTreasury | undefined => {
  const wallet = signedIn.value?.wallet;
  if (wallet === undefined) return undefined;
  const now = chosen.value[wallet];
  return now === undefined ? stored(wallet) : (now ?? undefined);
});

function stored(wallet: string): ChosenTreasury | undefined {
  const [multisig, vaultIndex, employer] = storedChoice(choiceOf(wallet))?.split(' ') ?? [];
  if (multisig === undefined || vaultIndex === undefined || employer === undefined) return undefined;
  return { multisig: multisig as Address, vaultIndex: Number(vaultIndex), employer: employer as Address };
}

/** Has whoever is signed in act for a treasury from now on, in this browser; undefined: for themselves. All of it is public. */
export function chooseTreasury(treasury: ChosenTreasury | undefined): void {
  const wallet = signedIn.value?.wallet;
  if (wallet === undefined) return;
  chosen.value = { ...chosen.value, [wallet]: treasury ?? null };
  storeChoice(choiceOf(wallet), treasury ? `${treasury.multisig} ${treasury.vaultIndex} ${treasury.employer}` : null);
}
