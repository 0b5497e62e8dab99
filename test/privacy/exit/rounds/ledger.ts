import { shuffled } from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import type { Group, Lot, Plan, Played } from './play.ts';
import { DAY, END, MONTHS, START, type World } from './world.ts';

/** Where a wallet's money went, and who paid the fee. */
export type Move = {
  readonly to: string;
  /** An address that is known to be many people's: a shop, an exchange's own. */
  readonly isLabelled: boolean;
  readonly payer: string;
  /** Micro-lamports a compute unit. */
  readonly price: number;
  readonly at: bigint;
};

/** What everybody sees of a part: the round, its place among those of the round, amount, wallet, and what the wallet did. */
export type Payout = {
  readonly group: Group;
  readonly place: number;
  readonly amount: bigint;
  readonly wallet: number;
  readonly move: Move;
};

/** The public record, and beside it, for who judges the observer, whose each payout is. */
export type Ledger = { readonly payouts: readonly Payout[]; readonly owners: readonly number[] };

/** In what a run departs from the protocol, for the observer to find. */
export type Leak =
  /** One wallet for all parts of a person. */
  | 'wallet'
  /** What stays inside leaves as well, as a part of its own size. */
  | 'digits'
  /** A balance leaves as two parts that nobody else has. */
  | 'knapsack'
  /** A month's wallets are emptied to one address. */
  | 'graph'
  /** Everybody pays fees from an account of their own. */
  | 'payer'
  /** Everybody's client bids a price of its own. */
  | 'price'
  /** A plan's wallets are emptied in one second. */
  | 'timing'
  /** Parts leave in the order in which they were asked for. */
  | 'order';

/** Where people spend: few places that most of them use. */
const SHOPS = 20;
const RELAY = 'relay';
const PRICE = 10_000;
const MONTH_SECONDS = (END - START) / BigInt(MONTHS);

type Part = { readonly plan: Plan; readonly amount: bigint };

/** Writes down who got which part into which wallet, and what became of it. */
export function publish(world: World, played: Played, random: Random, leak?: Leak): Ledger {
  const payouts: Payout[] = [];
  const owners: number[] = [];
  const lotsOf = new Map<Group, Lot[]>(played.groups.map((group) => [group, []]));
  for (const lot of played.plans.flatMap(({ lots }) => lots))
    if (lot.group !== undefined) lotsOf.get(lot.group)?.push(lot);
  for (const [group, lots] of lotsOf) {
    const asked = lots.flatMap((lot) => partsOf(world, lot, group.size, random, leak));
    const parts = leak === 'order' ? asked : shuffled(asked, (bound) => random.below(bound));
    // With this leak a plan's wallets are emptied together.
    const times = new Map<Plan, bigint>();
    for (const [place, { plan, amount }] of parts.entries()) {
      const drawn = group.round + random.amount(MONTH_SECONDS);
      const at = leak === 'timing' ? (times.get(plan) ?? drawn) : drawn;
      times.set(plan, at);
      const wallet = leak === 'wallet' ? -1 - plan.person : payouts.length;
      payouts.push({ group, place, amount, wallet, move: moveOf(world, plan, at, random, leak) });
      owners.push(plan.person);
    }
  }
  return { payouts, owners };
}

function partsOf(world: World, { plan, parts, ...lot }: Lot, size: bigint, random: Random, leak?: Leak): Part[] {
  const equal = Array.from({ length: parts }, (): Part => ({ plan, amount: size }));
  // What a plan leaks, its first parts do.
  const isFirst = lot.due === plan.lots[0]?.due;
  if (world.people[plan.person]?.habit !== 'rounds') return equal;
  if (leak === 'digits' && plan.rest > 0n && isFirst) equal.push({ plan, amount: plan.rest });
  if (leak !== 'knapsack') return equal;
  if (!isFirst) return [];
  const first = 1n + random.amount(plan.pay - 2n);
  return [
    { plan, amount: first },
    { plan, amount: plan.pay - first },
  ];
}

function moveOf(world: World, { person, asked }: Plan, at: bigint, random: Random, leak?: Leak): Move {
  const { habit } = world.people[person] as World['people'][number];
  const payer = leak === 'payer' ? `payer ${person}` : RELAY;
  const price = leak === 'price' ? PRICE + person : PRICE;
  if (habit === 'joins') {
    return { to: `joined ${person}`, isLabelled: false, payer, price, at: END + random.amount(30n * DAY) };
  }
  if (habit === 'exchange') return { to: `deposit ${person}`, isLabelled: false, payer, price, at };
  if (leak === 'graph') {
    const month = (asked - START) / MONTH_SECONDS;
    return { to: `joined ${person} ${month}`, isLabelled: false, payer, price, at };
  }
  // The first shop has as many customers as the next two.
  const shop = Math.floor(SHOPS ** (random.below(1_000_000) / 1_000_000));
  return { to: `shop ${shop}`, isLabelled: true, payer, price, at };
}
