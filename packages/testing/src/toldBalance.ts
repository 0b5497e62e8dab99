import type { OwnedBalance } from '@payouts/cli';
import { type BalancePlace, RecipientClient, systemTime } from '@payouts/client';
import type { KeyPairSigner } from '@solana/kit';
import type { World } from './world.ts';

/** A recipient's only balance as the coordinator tells it to them: by that they need no look at pages, which nobody is shown. */
export async function toldBalance(
  { apiUrl }: Pick<World, 'apiUrl'>,
  signer: KeyPairSigner,
): Promise<OwnedBalance & { readonly told: BalancePlace & { readonly isPrivate: boolean } }> {
  const { isPrivate, balances } = await new RecipientClient({ apiUrl, signer, time: systemTime }).balances();
  const [own, ...others] = balances;
  if (own === undefined || own.place === null || others.length > 0) throw new Error('They have not one paid balance.');
  const { mint, delivery, salt, place } = own;
  return {
    ...{ recipient: signer.address, mint, delivery, salt: new Uint8Array(Buffer.from(salt, 'hex')) },
    told: { ...place, isPrivate },
  };
}
