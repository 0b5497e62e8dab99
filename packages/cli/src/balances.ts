import {
  accountsOf,
  addressFromBytes,
  BALANCE_PAGE_KIND,
  type BalanceOwner,
  type BalancePlace,
  HASH_BYTES,
  type Ledgers,
  ownerRecord,
  PAGE_HEAD_BYTES,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PrivateBalance,
  SLOT_BYTES,
} from '@payouts/client';
import type { Address } from '@solana/kit';

/** Where a page has its token. */
const MINT_AT = 8n;

/** Where a balance is, and whether its execution layer has read permissions: a coordinator tells it to the recipient. */
export type ToldPlace = BalancePlace & { readonly isPrivate: boolean };

/** Whose balance of which token. What the recipient was told of its place spares a look at all pages, which an open layer alone shows. */
export type OwnedBalance = BalanceOwner & { readonly mint: Address; readonly told?: ToldPlace };

/** The slots of a page that somebody has. */
export function* slotsOf(page: ArrayLike<number>): Generator<{
  readonly slot: number;
  /** 32 bytes in base 58. */
  readonly owner: Address;
  /** Base units. */
  readonly amount: bigint;
}> {
  const bytes = Uint8Array.from(page);
  const view = new DataView(bytes.buffer);
  for (let slot = 0, at = PAGE_HEAD_BYTES; at + SLOT_BYTES <= bytes.length; slot++, at += SLOT_BYTES) {
    const owner = bytes.subarray(at, at + HASH_BYTES);
    if (owner.some((byte) => byte !== 0)) {
      yield { slot, owner: addressFromBytes(owner), amount: view.getBigUint64(at + HASH_BYTES, true) };
    }
  }
}

/** The pages of a token's balances, of a layer that shows them to everybody. */
export const balancePages = ({ layer }: Pick<Ledgers, 'layer'>, mint: Address): ReturnType<typeof accountsOf> =>
  accountsOf(layer, PAYOUT_LEDGER_PROGRAM_ADDRESS, BALANCE_PAGE_KIND, { address: mint, at: MINT_AT });

/** What every balance of a token holds, base units, by its owner; for a layer that shows them to everybody. */
export async function balancesOf(ledgers: Pick<Ledgers, 'layer'>, mint: Address): Promise<Map<Address, bigint>> {
  const found = new Map<Address, bigint>();
  for (const { bytes } of await balancePages(ledgers, mint)) {
    for (const { owner, amount } of slotsOf(bytes)) found.set(owner, (found.get(owner) ?? 0n) + amount);
  }
  return found;
}

/**
 * Finds a balance, with what it holds, by a look at all pages of its token: for a layer that shows them to everybody, such as that of one
 * machine. Undefined while nothing was ever paid into it.
 */
export async function locateBalance(
  ledgers: Pick<Ledgers, 'layer'>,
  balance: OwnedBalance,
): Promise<(PrivateBalance & { readonly amount: bigint }) | undefined> {
  const own = addressFromBytes(ownerRecord(balance).owner);
  for (const { address: page, bytes } of await balancePages(ledgers, balance.mint)) {
    for (const { slot, owner, amount } of slotsOf(bytes)) if (owner === own) return { ...balance, page, slot, amount };
  }
  return undefined;
}
