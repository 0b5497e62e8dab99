import { Delivery, type Leaf, leafHash, MerkleTree, type PayoutDelivery } from '@payouts/client';
import { type Holder, holderOf, type Token } from '@payouts/testing/litesvm/handles';
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
  const holders = payees.map(({ recipient }) => holderOf(recipient, token));
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

/** What a claim sends of a list: entries, their proof and their balances. */
export function rangeOf(list: List, start: number, count: number) {
  const holders = list.holders.slice(start, start + count);
  return {
    start,
    entries: list.leaves.slice(start, start + count).map(({ recipient, amount, delivery, salt }, place) => ({
      recipient,
      amount,
      delivery: delivery === 'wallet' ? Delivery.Wallet : Delivery.Balance,
      salt,
      bump: holders[place]?.bump ?? 0,
    })),
    proof: list.tree.rangeProof(start, count),
    balances: holders.map(({ balance }) => balance),
  };
}
