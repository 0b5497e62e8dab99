import {
  crowdPay,
  EXIT_LIMIT_SECONDS,
  FIRST_LIMIT_SECONDS,
  FIRST_PARTS,
  goesAlong,
  lastRound,
  leavesAt,
  MOST_PARTS,
  partSize,
  planParts,
  ROUND_SECONDS,
} from '@payouts/client';
import { END, type Payment, paymentsOf, publicPayOf, SETTLED_AFTER, START, type World } from './world.ts';

/** Equal parts of a token that left together. Nothing but what is done with them afterwards tells them apart. */
export type Group = {
  readonly token: number;
  readonly size: bigint;
  readonly round: bigint;
  /** How many of them each person has, in the order in which they were asked for. */
  readonly held: ReadonlyMap<number, number>;
};

/** What one payment brought: what it came to with the rest from before, the parts of it, and the rest. */
export type Plan = {
  readonly person: number;
  readonly employer: number;
  readonly asked: bigint;
  readonly pay: bigint;
  readonly balance: bigint;
  readonly parts: number;
  readonly rest: bigint;
  /** Its parts: the first ones, and those beyond. */
  readonly lots: Lot[];
};

/** Parts of a plan that leave together, at `due` at the latest. */
export type Lot = {
  readonly plan: Plan;
  readonly parts: number;
  readonly due: bigint;
  /** In which they left. */
  group: Group | undefined;
};

export type Played = { readonly groups: readonly Group[]; readonly plans: readonly Plan[] };

type Queue = {
  readonly token: number;
  readonly size: bigint;
  readonly windows: readonly bigint[];
  /** Those by which a crowd is paid. */
  readonly crowds: readonly bigint[];
  /** When a hostile recipient asks for a part: so many seconds after each leaving; undefined: nobody does. */
  readonly hostileAfter: bigint | undefined;
  hostile: bigint | undefined;
  /** When parts left. */
  readonly left: bigint[];
  waiting: Lot[];
};

/**
 * What may be otherwise than the protocol's default: how many parts of a person are the first ones, and their limit; the limit of those beyond; the
 * parts of a person that wait at most; how many seconds after each leaving a
 * hostile recipient asks for a part, so that the next leaving is counted from that; whether hostile employers have a window due before every
 * round, so that everybody always waits for more.
 */
export type Variant = {
  readonly firstParts?: number;
  readonly firstLimit?: bigint;
  readonly limit?: bigint;
  readonly mostParts?: number;
  readonly hostileAfter?: bigint;
  readonly hostileWindows?: boolean;
};

/**
 * Has everybody whose money leaves in rounds do as the protocol says. Nothing in it is drawn: an observer who knows what people are paid
 * works it out as well. What isn't in it is whose which part of a group is.
 */
export function play(world: World, variant: Variant = {}): Played {
  const { limit = EXIT_LIMIT_SECONDS } = variant;
  const queues = queuesOf(world, variant);
  const balances = new Map<string, bigint>();
  const [groups, plans]: [Group[], Plan[]] = [[], []];
  const payments = paymentsOf(world).filter(({ person }) => world.people[person]?.habit !== 'at once');
  let next = 0;
  for (let round = START; round < END + limit + ROUND_SECONDS; round += ROUND_SECONDS) {
    for (; (payments[next]?.at ?? END * 2n) <= round; next += 1) {
      plans.push(ask(payments[next] as Payment, queues, balances, variant));
    }
    for (const queue of queues) {
      const group = leave(queue, round, variant);
      if (group !== undefined) groups.push(group);
    }
  }
  return { groups, plans };
}

function queuesOf(world: World, { hostileAfter, hostileWindows = false }: Variant): Queue[] {
  const tokens = [...new Set(world.employers.map(({ token }) => token))];
  const paid = world.employers.map(() => ({ recipients: 0, amount: 0n }));
  for (const { employer, pay } of world.people.flatMap(({ jobs }) => jobs)) {
    const of = paid[employer] as (typeof paid)[number];
    of.recipients += 1;
    of.amount += pay;
  }
  return tokens.map((token): Queue => {
    const windowsIf = (counts: (place: number) => boolean) =>
      world.employers
        .filter((each, place) => each.token === token && counts(place))
        .flatMap((each) => each.windows)
        .sort((one, other) => Number(one - other));
    const windows = windowsIf(() => true);
    for (let due = START + 1n; hostileWindows && due < END; due += ROUND_SECONDS) windows.push(due);
    windows.sort((one, other) => Number(one - other));
    const size = partSize(publicPayOf(world, token));
    const hostile = hostileAfter === undefined ? undefined : START + hostileAfter;
    const crowd = crowdPay(size);
    const crowds = windowsIf((place) => {
      const { recipients, amount } = paid[place] as (typeof paid)[number];
      return recipients >= crowd.recipients && amount >= crowd.least;
    });
    return { token, size, windows, crowds, hostileAfter, hostile, left: [], waiting: [] };
  });
}

/** Plans the whole balance, with what stayed from the plan before. */
function ask(payment: Payment, queues: readonly Queue[], balances: Map<string, bigint>, variant: Variant): Plan {
  const { mostParts = MOST_PARTS, firstParts = FIRST_PARTS, ...limits } = variant;
  const { person, employer, token, at, amount } = payment;
  const queue = queues.find((each) => each.token === token) as Queue;
  const key = `${person} ${token}`;
  const balance = (balances.get(key) ?? 0n) + amount;
  const own = queue.waiting.filter(({ plan }) => plan.person === person);
  const waiting = (lots: readonly Lot[]) => lots.reduce((sum, lot) => sum + lot.parts, 0);
  const { parts, rest } = planParts(balance, queue.size, mostParts - waiting(own));
  balances.set(key, rest);
  const plan: Plan = { person, employer, asked: at, pay: amount, balance, parts, rest, lots: [] };
  // Each employer's payments have a balance of their own.
  const room = Math.max(0, firstParts - waiting(own.filter((lot) => lot.plan.employer === employer)));
  const { firstLimit = FIRST_LIMIT_SECONDS, limit = EXIT_LIMIT_SECONDS } = limits;
  for (const [count, longest] of [[Math.min(parts, room), firstLimit] as const, [parts - room, limit] as const]) {
    if (count > 0) plan.lots.push({ plan, parts: count, due: lastRound(at, longest), group: undefined });
  }
  queue.waiting.push(...plan.lots);
  return plan;
}

function leave(
  queue: Queue,
  round: bigint,
  { firstLimit = FIRST_LIMIT_SECONDS, limit = EXIT_LIMIT_SECONDS }: Variant,
): Group | undefined {
  const { token, size, waiting, windows, crowds, hostile, left } = queue;
  const lastPaid = crowds.findLast((due) => due + SETTLED_AFTER <= round) ?? 0n;
  const before = left.findLast((time) => time < lastPaid);
  const [nextWindow, nextCrowd] = [windows, crowds].map((each) => each.find((due) => due > round));
  const dues = waiting.map(({ due }) => due);
  if (hostile !== undefined && hostile <= round) dues.push(lastRound(hostile, firstLimit));
  const due = dues.reduce<bigint | undefined>(
    (least, each) => (least === undefined || each < least ? each : least),
    undefined,
  );
  if (leavesAt({ round, due, nextWindow }) === undefined) return undefined;
  const limits = { first: firstLimit, any: limit };
  const leaving = waiting.filter((lot) => goesAlong(lot.due, { round, nextCrowd, before }, limits));
  queue.waiting = waiting.filter((lot) => !leaving.includes(lot));
  left.push(round);
  if (queue.hostileAfter !== undefined) queue.hostile = round + 1n + queue.hostileAfter;
  if (leaving.length === 0) return undefined;
  const held = new Map<number, number>();
  const group: Group = { token, size, round, held };
  for (const lot of leaving) {
    held.set(lot.plan.person, (held.get(lot.plan.person) ?? 0) + lot.parts);
    lot.group = group;
  }
  return group;
}
