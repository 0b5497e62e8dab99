import { balancesOf, walletTokens } from '@payouts/cli';
import { fetchCounter, findCounterAddress } from '@payouts/client';
import { underWay } from '@payouts/testing/underWay';
import { NAMES, type Stage } from './stage.ts';

/** What became of the money that people took out. */
export type Verdict = {
  /** Withdrawals that the base ledger's pool has counted. */
  readonly withdrawals: number;
  /** Wallets that hold more than was asked for. */
  readonly double: number;
  /** Wallets that hold less. */
  readonly lost: number;
  /** Whatever else is not as it must be. */
  readonly problems: readonly string[];
};

/** Compares wallets, balances and the pool's counters with what was asked for. Stops the coordinators. */
export async function verdictOf(stage: Stage, count: number): Promise<Verdict> {
  const { world, employer, people, cluster } = stage;
  const problems: string[] = [];
  const compare = (what: string, is: bigint | number, must: bigint | number) => {
    if (BigInt(is) !== BigInt(must)) problems.push(`${what} is ${is}, not ${must}`);
  };
  let [double, lost, asked] = [0, 0, 0n];
  const earned = (amount: bigint) => amount * BigInt(stage.withdrawals.length);
  const held = await balancesOf(world.ledgers, employer.mint);
  for (const person of people) {
    asked += person.asked;
    const has = await walletTokens(world.ledgers, person.wallet, employer.mint);
    if (has > person.asked) double += 1;
    if (has < person.asked) lost += 1;
    compare('withdrawals under way', (await underWay(world.ledgers, person.balance)).length, 0);
    compare("a balance's amount", held.get(person.owner) ?? 0n, earned(person.amount) - person.asked);
  }
  const pool = await world.pool(employer);
  const moved = earned(employer.list.total);
  compare("the pool's withdrawals", pool.withdrawals, count);
  compare("the pool's highest withdrawal", pool.highestWithdrawal, count);
  compare('what the pool has paid out', pool.paidOut, asked);
  compare('what the pool holds', pool.held, moved - asked);
  compare('what came into the pool', pool.movedIn, moved);
  const { data: counter } = await fetchCounter(world.ledgers.layer, await findCounterAddress(employer.mint));
  compare('the next number', counter.next, count + 1);
  compare('what was asked for in all', counter.requested, asked);
  try {
    await world.checkMoneyRules(employer);
    for (const name of NAMES) await cluster.stopOne(name);
    await world.checkLiabilities(employer, employer.balances, stage.cluster.settings);
  } catch (error) {
    problems.push((error as Error).message);
  }
  return { withdrawals: Number(pool.withdrawals), double, lost, problems };
}
