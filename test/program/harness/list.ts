import { type Leaf, leafHash, MerkleTree, type PayoutDelivery } from '@payouts/client';
import { type BalancePage, type Holder, holderOf, type Place, type Token } from '@payouts/testing/litesvm/handles';
import type { Address } from '@solana/kit';

/** Who stands in a list, and for how much. */
export interface Payee {
  readonly recipient: Address;
  readonly amount: bigint;
  readonly delivery?: PayoutDelivery;
}

/** A list of recipients with its tree, and their balances by index. */
export interface List {
  readonly leaves: readonly Leaf[];
  readonly holders: readonly Holder[];
  readonly tree: MerkleTree;
  readonly total: bigint;
}

/** Makes a list in the order given. Amounts and recipients are not checked: tests want bad ones too. */
export function listOf(token: Token, payees: readonly Payee[]): List {
  const holders = payees.map(({ recipient, delivery }) => holderOf(recipient, token, delivery));
  const leaves = payees.map(
    ({ recipient, amount, delivery = 'balance' }, index): Leaf => ({
      index,
      recipient,
      amount,
      delivery,
      salt: holders[index]?.salt ?? new Uint8Array(16),
    }),
  );
  const total = leaves.reduce((sum, { amount }) => sum + amount, 0n);
  return { leaves, holders, tree: new MerkleTree(leaves.map(leafHash)), total };
}

/** The pages of places, each once, in the order in which they come. */
export const pagesOf = (places: readonly Pick<Place, 'page'>[]): BalancePage[] => [
  ...new Map(places.map(({ page }) => [page.address, page])).values(),
];

/** What a claim sends of a list: entries, their proof and the pages of their balances, which are where each belongs or where it is said. */
export function rangeOf(
  list: List,
  start: number,
  count: number,
  placeOf: (holder: Holder) => Place = (holder) => holder,
) {
  const placed = list.holders.slice(start, start + count).map((holder) => ({ holder, place: placeOf(holder) }));
  const pages = pagesOf(placed.map(({ place }) => place)).map(({ address }) => address);
  return {
    start,
    entries: placed.map(({ holder: { owner, blind }, place: { page, slot } }, at) => {
      const amount = list.leaves[start + at]?.amount ?? 0n;
      return { owner, amount, blind, page: pages.indexOf(page.address), slot };
    }),
    proof: list.tree.rangeProof(start, count),
    pages,
  };
}
