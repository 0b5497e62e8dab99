import { type Leaf, leafHash, nodeHash } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { ownersOf } from '../owners.ts';
import { Guesses } from '../salts.ts';
import { deliveredTo, listsOf, type PublicList } from '../sight.ts';

/** Salts that are tried for a whole list. */
const SALTS = 2;
/** Leaves below each half of a tree that can be gone through. */
const HALF = 4;
/** Hashes at most. */
const ENOUGH = 5_000_000;

/** A way in which the leaves of a part of a tree could be: the part's hash, the amounts, and their sum. */
type Way = { readonly hash: Uint8Array; readonly amounts: readonly bigint[]; readonly sum: bigint };

/**
 * Whole trees without anybody's proof: where members of a list are known in order, because their balances were asked for one after the other, all
 * amounts that they could have, half a tree at a time; two halves fit if their sums add up to what the list pays, and are right if they
 * make its root. Of a list one member may be missing who was asked for earlier, for another list.
 */
export function trees(evidence: Evidence): Outcome {
  const search = new Search(evidence);
  const { groups } = ownersOf(evidence);
  const lists = listsOf(evidence);
  const claims: Claim[] = [];
  for (const missing of [0, 1]) {
    for (const list of lists) {
      if (claims.some(({ object }) => object === list.schedule)) continue;
      const own = groups.filter(({ mint }) => mint === list.mint).sort((a, b) => a.at - b.at);
      const everybody = [...new Set(own.flatMap(({ recipients }) => recipients))];
      // One list may be asked for in several requests.
      const orders = [...own.map(({ recipients }) => recipients), everybody];
      const solved = search.list(list, segments(orders, list.recipients - missing), missing === 0 ? [] : everybody);
      for (const [place, subject] of solved?.members.entries() ?? []) {
        const amount = String(solved?.amounts[place]);
        claims.push({ kind: 'paid-by', subject, object: list.schedule, amount, isCertain: true });
      }
    }
  }
  return { looked: `${search.tried} hashes, ${lists.length} roots, ${groups.length} groups asked for`, claims };
}

/** Every run of so many members. */
function segments(orders: readonly (readonly string[])[], length: number): string[][] {
  return orders.flatMap((order) =>
    Array.from({ length: Math.max(0, order.length - length + 1) }, (_, from) => order.slice(from, from + length)),
  );
}

class Search {
  tried = 0;
  readonly #salaries: readonly bigint[];
  readonly #salts: readonly Uint8Array[];
  readonly #delivered: ReturnType<typeof deliveredTo>;

  constructor(evidence: Evidence) {
    this.#salaries = evidence.candidates.salaries.map(BigInt);
    this.#salts = new Guesses(evidence).same.slice(0, SALTS);
    this.#delivered = deliveredTo(evidence);
  }

  /** Members and amounts that make a list's root, with one of `others` at any place if there are any. */
  list(list: PublicList, runs: readonly string[][], others: readonly string[]) {
    if (list.recipients <= HALF || list.recipients > 2 * HALF) return undefined;
    for (const run of runs) {
      const orders =
        others.length === 0
          ? [run]
          : others
              .filter((other) => !run.includes(other))
              .flatMap((other) => [...run, ''].map((_, place) => [...run.slice(0, place), other, ...run.slice(place)]));
      for (const members of orders) {
        if (this.tried > ENOUGH) return undefined;
        const way = this.#solve(members, list);
        if (way !== undefined) return { members, amounts: way.amounts };
      }
    }
    return undefined;
  }

  #solve(members: readonly string[], { root, total }: PublicList): Way | undefined {
    const wanted = Buffer.from(root, 'hex');
    for (const salt of this.#salts) {
      const bySum = new Map<bigint, Way[]>();
      for (const right of this.#part(members, HALF, HALF, salt)) {
        const same = bySum.get(right.sum) ?? [];
        same.push(right);
        bySum.set(right.sum, same);
      }
      for (const left of this.#part(members, 0, HALF, salt)) {
        for (const right of bySum.get(total - left.sum) ?? []) {
          const whole = this.#join(left, right);
          if (wanted.equals(whole.hash)) return whole;
        }
      }
    }
    return undefined;
  }

  #part(members: readonly string[], from: number, size: number, salt: Uint8Array): Way[] {
    if (size === 1) return this.#leaf(members[from] as string, from, salt);
    const half = size / 2;
    const left = this.#part(members, from, half, salt);
    // The odd last node is carried up.
    if (from + half >= members.length) return left;
    const right = this.#part(members, from + half, half, salt);
    return left.flatMap((one) => right.map((other) => this.#join(one, other)));
  }

  /** Somebody whose money is delivered is paid what their wallet shows. */
  #leaf(recipient: string, index: number, salt: Uint8Array): Way[] {
    const payouts = this.#delivered.get(recipient);
    const amounts = payouts?.map(({ amount }) => amount) ?? this.#salaries;
    const delivery = payouts === undefined ? 'balance' : 'wallet';
    return [...new Set(amounts)].map((amount) => {
      const leaf: Leaf = { index, recipient: recipient as Address, amount, delivery, salt };
      this.tried += 1;
      return { hash: leafHash(leaf), amounts: [amount], sum: amount };
    });
  }

  #join(left: Way, right: Way): Way {
    this.tried += 1;
    return {
      hash: nodeHash(left.hash, right.hash),
      amounts: [...left.amounts, ...right.amounts],
      sum: left.sum + right.sum,
    };
  }
}
