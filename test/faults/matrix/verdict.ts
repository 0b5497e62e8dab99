import type { RecipientList } from '@payouts/client';
import { fetchSchedule } from '@payouts/client';
import type { Employer, World } from '@payouts/testing/world';

/** What became of the money of a list that was to be paid once. */
export type Verdict = {
  /** Recipients who have more than their amount. */
  readonly double: number;
  /** Recipients who have less. */
  readonly lost: number;
  /** Whatever else is not as it must be. */
  readonly problems: readonly string[];
};

/** Compares a paid-once list with what both ledgers show: private balances, counts and totals, and every money rule of the token. */
export async function verdictOf(
  world: World,
  employer: Employer,
  expected: Pick<RecipientList, 'recipients' | 'total'> = employer.list,
): Promise<Verdict> {
  const balances = await world.privateBalances(employer);
  let [double, lost] = [0, 0];
  for (const [index, { amount }] of expected.recipients.entries()) {
    const has = balances[index] ?? 0n;
    if (has > amount) double += 1;
    if (has < amount) lost += 1;
  }
  const { data } = await fetchSchedule(world.ledgers.base, employer.schedule);
  const problems: string[] = [];
  const compare = (what: string, is: bigint | number, must: bigint | number) => {
    if (is !== must) problems.push(`${what} is ${is}, not ${must}`);
  };
  compare("the schedule's window", data.window, 1n);
  compare('the count of those paid', data.lastPaidCount, expected.recipients.length);
  compare("the schedule's total of what was paid", data.paidTotal, expected.total);
  return { double, lost, problems };
}
