import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { ownersOf } from '../owners.ts';
import { listsOf } from '../sight.ts';

/**
 * The addresses of private balances: those of every candidate under every salt that could be guessed, among all addresses that the layer asked
 * the base ledger for, or that stand anywhere. Who is asked for together is in one list, most likely that of the same size.
 */
export function balances(evidence: Evidence): Outcome {
  const { byAddress, tried, inSight, groups } = ownersOf(evidence);
  const lists = listsOf(evidence);
  const claims: Claim[] = [...byAddress.values()].map(({ recipient }) => {
    return { kind: 'is-paid', subject: recipient, object: '', isCertain: true };
  });
  for (const { at, mint, recipients } of groups) {
    const possible = lists.filter((list) => list.mint === mint && list.from <= at);
    // Several employers' lists can come in one request; of a changed list, only who is new is asked for.
    const difference = (size: number) => Math.abs(size - recipients.length);
    const [list] = possible.sort((a, b) => difference(a.recipients) - difference(b.recipients) || b.from - a.from);
    if (list === undefined) continue;
    for (const subject of recipients) {
      claims.push({ kind: 'paid-by', subject, object: list.schedule, isCertain: false });
    }
  }
  return {
    looked: `${tried} balances of ${evidence.candidates.addresses.length} candidates, ${inSight} addresses`,
    claims,
  };
}
