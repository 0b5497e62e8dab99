import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { askedFor, deliveredTo, payoutsOf } from '../sight.ts';

/** Milliseconds between a lookup and a withdrawal that can belong together. */
const WITHIN_MS = 10_000;

/**
 * Candidates themselves among the addresses that the layer asks the base ledger for. Whoever is asked for is paid; and the wallet that is paid
 * out to next is theirs.
 */
export function lookups(evidence: Evidence): Outcome {
  const asked = askedFor(evidence);
  const delivered = deliveredTo(evidence);
  const free = payoutsOf(evidence).filter(({ wallet }) => !delivered.has(wallet));
  const claims: Claim[] = [];
  const found = evidence.candidates.addresses
    .flatMap((address) => {
      const at = asked.get(address);
      return at === undefined || delivered.has(address) ? [] : [{ address, at }];
    })
    .sort((a, b) => a.at - b.at);
  for (const { address: subject, at } of found) {
    claims.push({ kind: 'is-paid', subject, object: '', isCertain: true });
    const next = free.findIndex((payout) => payout.at >= at && payout.at <= at + WITHIN_MS);
    const [payout] = next < 0 ? [] : free.splice(next, 1);
    if (payout === undefined) continue;
    claims.push({
      kind: 'owns-wallet',
      subject,
      object: payout.wallet,
      amount: String(payout.amount),
      isCertain: false,
    });
  }
  return {
    looked: `${evidence.candidates.addresses.length} candidates among ${asked.size} addresses asked for`,
    claims,
  };
}
