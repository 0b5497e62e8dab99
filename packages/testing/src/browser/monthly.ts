import { nameToken } from '../token.ts';
import { variedPayees } from '../wallets.ts';
import type { Employer, World } from '../world.ts';

/** Seconds between two windows of `monthlyEmployer`. */
export const FOUR_WEEKS = 4 * 7 * 86_400;

/** An employer who pays so many recipients so much each (base units) in USDC every four weeks; the first window is settled. */
export async function monthlyEmployer(world: World, recipients: number, amount: bigint): Promise<Employer> {
  const payees = await variedPayees(recipients, amount);
  const employer = await world.employer(payees, { calendar: { unit: 'weeks', every: 4, day: 0 }, executions: 12 });
  await nameToken(world, employer.mint, 'USDC');
  await world.registerAndSettle(employer);
  return employer;
}
