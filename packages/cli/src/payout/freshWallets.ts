import { ClientError, type FreshWallets, findUsed, freshWalletsOf, isAddressText, ownPayouts } from '@payouts/client';
import type { Address } from '@solana/kit';
import { InvalidArgumentError } from 'commander';
import { Failure } from './failure.ts';
import type { RecipientAccess } from './session.ts';
import type { Signer } from './signer/signer.ts';

/** Where a withdrawal goes: the next fresh wallets of the key's row, or wallets that are named, to which its parts go in turn. */
export type Destinations = typeof FRESH | readonly Address[];
export const FRESH = 'fresh';

/** Where one payout goes; `index`: that of a fresh wallet. */
export type Place = { readonly wallet: Address; readonly index?: number };

/** A destination as it is written; `before`: those that were written before it. */
export function destinationsOption(text: string, before: Destinations): Destinations {
  if (text === FRESH) return FRESH;
  if (!isAddressText(text)) {
    throw new InvalidArgumentError('It is neither an address (base 58 of 32 bytes) nor the word fresh.');
  }
  return before === FRESH ? [text] : [...before, text];
}

/** The row of fresh wallets of a key. Throws `Failure` signatures-differ. */
export async function walletsOf(signer: Signer): Promise<FreshWallets> {
  try {
    return await freshWalletsOf(signer);
  } catch (cause) {
    if (!(cause instanceof ClientError) || cause.code !== 'SIGNATURES_DIFFER') throw cause;
    throw new Failure('signatures-differ', cause.message, { cause });
  }
}

/** Where each of so many payouts goes: to the wallets that are named in turn, or each to a fresh one of its own. Throws `Failure` and `ApiFailed`. */
export async function placesOf({ client, signer }: RecipientAccess, to: Destinations, count: number): Promise<Place[]> {
  if (to !== FRESH) return Array.from({ length: count }, (_, place) => ({ wallet: to[place % to.length] as Address }));
  const wallets = await walletsOf(signer);
  const { next } = await findUsed(wallets, await ownPayouts(client));
  const indices = Array.from({ length: count }, (_, place) => next + place);
  return Promise.all(indices.map(async (index) => ({ wallet: (await wallets.at(index)).address, index })));
}

/** Places as a command shows them before and after, each once. */
export const placeTexts = (places: readonly Place[]): string[] => [
  ...new Set(
    places.map(({ wallet, index }) => (index === undefined ? wallet : `your fresh wallet ${index}, ${wallet}`)),
  ),
];
