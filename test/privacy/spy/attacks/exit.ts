import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { deliveredTo, payoutsOf, sumsOf } from '../sight.ts';

/** Windows that may be taken out together. */
const WINDOWS = 3n;

/** Amounts at the exit: what a wallet takes out in sum is one, two or three times a salary. */
export function exit(evidence: Evidence): Outcome {
  const delivered = deliveredTo(evidence);
  const payouts = payoutsOf(evidence).filter(({ wallet }) => !delivered.has(wallet));
  const claims: Claim[] = [];
  for (const [subject, sums] of sumsOf(payouts)) {
    const amount = sums.at(-1) as bigint;
    const wages = evidence.candidates.salaries.filter((salary) => {
      const windows = amount / BigInt(salary);
      return amount % BigInt(salary) === 0n && windows >= 1n && windows <= WINDOWS;
    });
    // The fewest windows first.
    const [wage] = wages.sort((a, b) => Number(BigInt(b) - BigInt(a)));
    if (wage !== undefined) claims.push({ kind: 'wage', subject, object: '', amount: wage, isCertain: false });
  }
  return { looked: `${payouts.length} withdrawals against ${evidence.candidates.salaries.length} salaries`, claims };
}
