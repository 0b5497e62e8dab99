import { liabilityLeafHash, ownerRecord, type PayoutDelivery } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { Guesses } from '../salts.ts';
import { payoutsOf } from '../sight.ts';

/** Windows that may lie in a balance. */
const WINDOWS = 3;
/** Salts that are tried for an owner. */
const SALTS = 2;
const DELIVERIES: readonly PayoutDelivery[] = ['balance', 'wallet'];
/** Blinds that are tried: the likeliest, and the likeliest of all where two withdrawals are taken away. */
const BLINDS = 8;
const FEW_BLINDS = 1;

/**
 * The liabilities tree: the neighbour of the colleague's leaf, for every candidate with what up to three windows of every salary leave when none, one or two
 * of the withdrawals seen are taken away.
 */
export function liabilities(evidence: Evidence): Outcome {
  const { candidates, colleague } = evidence;
  const { mint, index, proof } = colleague.liabilities;
  const { same } = new Guesses(evidence);
  const blinds = same.slice(0, BLINDS);
  const hashes = new Set(proof);
  const taken = payoutsOf(evidence).flatMap((payout) => (payout.mint === mint ? [payout.amount] : []));
  const pairs = taken.flatMap((one, place) => taken.slice(place + 1).map((other) => one + other));
  const amounts = amountsOf(candidates.salaries, [0n, ...taken]);
  const fewer = amountsOf(candidates.salaries, pairs);
  const claims: Claim[] = [];
  let tried = 0;
  for (const subject of candidates.addresses) {
    const owners = DELIVERIES.flatMap((delivery) =>
      same.slice(0, SALTS).map((salt) => ownerRecord({ recipient: subject as Address, salt, delivery }).owner),
    );
    const tryAll = (possible: Iterable<bigint>, blinds: readonly Uint8Array[]) => {
      for (const amount of possible) {
        for (const owner of owners) {
          for (const blind of blinds) {
            tried += 1;
            const leaf = { kind: 'balance', index: index ^ 1, owner, amount, number: 0n, blind } as const;
            if (!hashes.has(Buffer.from(liabilityLeafHash(leaf)).toString('hex'))) continue;
            claims.push({ kind: 'holds', subject, object: mint, amount: String(amount), isCertain: true });
          }
        }
      }
    };
    tryAll(amounts, blinds);
    tryAll(fewer, blinds.slice(0, FEW_BLINDS));
  }
  return { looked: `${tried} leaves against ${hashes.size} hashes`, claims };
}

/** What so many windows of a salary leave when something is taken away. */
function amountsOf(salaries: readonly string[], taken: readonly bigint[]): Set<bigint> {
  const amounts = new Set<bigint>([0n]);
  for (const salary of salaries.map(BigInt)) {
    for (let windows = 1n; windows <= WINDOWS; windows++) {
      for (const less of taken) if (windows * salary >= less) amounts.add(windows * salary - less);
    }
  }
  return amounts;
}
