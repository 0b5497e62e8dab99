import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { deliveredTo, listsOf, payoutsOf, sumsOf, turnsOf } from '../sight.ts';

/** What is public, read and added up: every list's terms, what every wallet took out, and who has the money delivered. */
export function shown(evidence: Evidence): Outcome {
  const lists = listsOf(evidence);
  const payouts = payoutsOf(evidence);
  const delivered = deliveredTo(evidence);
  const sums = sumsOf(payouts);
  const claims = [
    ...lists.map(({ root, schedule, recipients, total }): Claim => {
      return { kind: 'terms', subject: root, object: schedule, amount: `${recipients} ${total}`, isCertain: true };
    }),
    ...turnsOf(evidence, 'WindowOpened').map(({ schedule, window }): Claim => {
      return { kind: 'opened', subject: schedule, object: String(window), isCertain: true };
    }),
    ...[...sums].map(([subject, all]): Claim => {
      return { kind: 'paid-out', subject, object: '', amount: String(all.at(-1)), isCertain: true };
    }),
    ...[...delivered].map(([subject, [first]]): Claim => {
      return { kind: 'delivered', subject, object: '', amount: String(first?.amount), isCertain: true };
    }),
  ];
  return { looked: `${lists.length} lists, ${payouts.length} payouts to ${sums.size} wallets`, claims };
}
