import { addressToBytes, type Leaf, leafHash, type PayoutDelivery } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { Guesses } from '../salts.ts';
import { listsOf } from '../sight.ts';

const DELIVERIES: readonly PayoutDelivery[] = ['balance', 'wallet'];

/**
 * Leaves of lists: every candidate, amount, delivery and guessed salt, at the index of the colleague's neighbour against the neighbour's
 * hash; at every index against the other hashes in sight, where a leaf's could stand as well.
 */
export function leaves(evidence: Evidence): Outcome {
  const { candidates, colleague } = evidence;
  const guesses = new Guesses(evidence);
  const lists = listsOf(evidence);
  const own = lists.find(({ schedule }) => schedule === colleague.schedule);
  const hashes = new Set([...lists.map(({ root }) => root), ...colleague.proof]);
  const largest = Math.max(...lists.map(({ recipients }) => recipients));
  const claims: Claim[] = [];
  let tried = 0;
  const tryLeaf = (leaf: Leaf) => {
    tried += 1;
    const hash = Buffer.from(leafHash(leaf)).toString('hex');
    if (!hashes.has(hash)) return;
    const list = lists.find(({ root }) => root === hash) ?? own;
    if (list === undefined) return;
    const { recipient: subject, amount } = leaf;
    claims.push({ kind: 'paid-by', subject, object: list.schedule, amount: String(amount), isCertain: true });
  };
  const mint = addressToBytes((own?.mint ?? lists[0]?.mint) as Address);
  for (const address of candidates.addresses) {
    const recipient = address as Address;
    const salts = [...guesses.of(addressToBytes(recipient), mint)];
    for (const salary of candidates.salaries) {
      for (const delivery of DELIVERIES) {
        const entry = { recipient, amount: BigInt(salary), delivery };
        for (const salt of salts) tryLeaf({ ...entry, index: colleague.index ^ 1, salt });
        // Elsewhere there is no leaf's hash to be seen, unless a list is tiny: the likeliest salts only.
        for (const salt of salts.slice(0, 4)) {
          for (let index = 0; index < largest; index++) tryLeaf({ ...entry, index, salt });
        }
      }
    }
  }
  return { looked: `${tried} leaves against ${hashes.size} hashes`, claims };
}
