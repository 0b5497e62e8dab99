import {
  addressFromBytes,
  addressToBytes,
  derivePersonalAddress,
  openingOf,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PayoutDelivery,
  personalKey,
  personalNonce,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Evidence } from './evidence.ts';
import { Guesses } from './salts.ts';
import { addressesInSight, listsOf, lookupsOf } from './sight.ts';

/** Of a personal account. */
const NONCE_BYTES = 16;
const DELIVERIES: readonly PayoutDelivery[] = ['balance', 'wallet'];

type Owner = { readonly recipient: string; readonly mint: string };

/** Owners of private balances that could be made by guessed salts, and what was found of them. */
export type Owners = {
  /** By the owner, 32 bytes in base 58. */
  readonly byOwner: ReadonlyMap<string, Owner>;
  /** Personal accounts in sight, by their address. */
  readonly byAddress: ReadonlyMap<string, Owner>;
  readonly tried: number;
  readonly inSight: number;
  /** Whose personal accounts the layer asked for together, in that order, by token. */
  readonly groups: readonly { readonly at: number; readonly mint: string; readonly recipients: readonly string[] }[];
};

/** Nonces of personal accounts that somebody could make up who has not read the page: from the owner, the secret, or a page's nonce of zeros. */
const noncesOf = (owner: Uint8Array, salt: Uint8Array): readonly Uint8Array[] => [
  owner.subarray(0, NONCE_BYTES),
  openingOf(salt),
  personalNonce(personalKey(new Uint8Array(NONCE_BYTES), owner), 1),
];

const found = new WeakMap<Evidence, Owners>();

/**
 * Tries every candidate under every salt that could be guessed, and looks for personal accounts whose nonces follow from that among all
 * addresses in sight; once.
 */
export function ownersOf(evidence: Evidence): Owners {
  const known = found.get(evidence);
  if (known !== undefined) return known;
  const guesses = new Guesses(evidence);
  const inSight = addressesInSight(evidence);
  const byOwner = new Map<string, Owner>();
  const byAddress = new Map<string, Owner>();
  const mints = [...new Set(listsOf(evidence).map((list) => list.mint))] as Address[];
  let tried = 0;
  for (const mint of mints) {
    for (const candidate of evidence.candidates.addresses as readonly Address[]) {
      for (const salt of guesses.of(addressToBytes(candidate), addressToBytes(mint))) {
        for (const delivery of DELIVERIES) {
          tried += 1;
          const { owner } = ownerRecord({ recipient: candidate, salt, delivery });
          byOwner.set(addressFromBytes(owner), { recipient: candidate, mint });
          for (const nonce of noncesOf(owner, salt)) {
            const address = derivePersonalAddress(mint, nonce, PAYOUT_LEDGER_PROGRAM_ADDRESS);
            if (inSight.has(address)) byAddress.set(address, { recipient: candidate, mint });
          }
        }
      }
    }
  }
  const groups = lookupsOf(evidence).flatMap(({ at, addresses }) =>
    mints.flatMap((mint) => {
      const owners = addresses.flatMap((address) => byAddress.get(address) ?? []);
      const recipients = owners.filter((owner) => owner.mint === mint).map(({ recipient }) => recipient);
      return recipients.length === 0 ? [] : [{ at, mint, recipients }];
    }),
  );
  const owners = { byOwner, byAddress, tried, inSight: inSight.size, groups };
  found.set(evidence, owners);
  return owners;
}
