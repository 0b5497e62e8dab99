import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { ownersOf } from '../owners.ts';
import { askedFor, deliveredTo, payoutsOf, turnsOf } from '../sight.ts';

/** Milliseconds between a lookup and a withdrawal that can belong together. */
const WITHIN_MS = 10_000;

/**
 * Personal accounts: those whose nonces follow from a candidate under a salt that could be guessed, among all addresses that the layer asked the
 * base ledger for, or that stand anywhere. Whoever has one is paid; the wallet that is paid out to next is theirs; and those that are asked for together
 * are of the employer whose window was opened last.
 */
export function personal(evidence: Evidence): Outcome {
  const { byAddress, tried, inSight, groups } = ownersOf(evidence);
  const asked = askedFor(evidence);
  const delivered = deliveredTo(evidence);
  const free = payoutsOf(evidence).filter(({ wallet }) => !delivered.has(wallet));
  const openings = turnsOf(evidence, 'WindowOpened').sort((a, b) => a.at - b.at);
  const claims: Claim[] = [];
  for (const [address, { recipient: subject }] of byAddress) {
    claims.push({ kind: 'is-paid', subject, object: '', isCertain: true });
    const at = asked.get(address);
    const next = free.find((payout) => at !== undefined && payout.at >= at && payout.at <= at + WITHIN_MS);
    if (next === undefined) continue;
    claims.push({ kind: 'owns-wallet', subject, object: next.wallet, amount: String(next.amount), isCertain: false });
  }
  for (const { at, recipients } of groups) {
    const object = openings.findLast((opening) => opening.at <= at)?.schedule;
    if (object === undefined) continue;
    for (const subject of recipients) claims.push({ kind: 'paid-by', subject, object, isCertain: false });
  }
  return { looked: `${tried} owners, ${byAddress.size} of their accounts among ${inSight} addresses`, claims };
}
