import {
  EXIT_LIMIT_SECONDS,
  lastRound,
  leavesAt,
  MOST_PARTS,
  partSize,
  planParts,
  ROUND_SECONDS,
} from '@payouts/client';
import { END, type Payment, paymentsOf, publicPayOf, START, type World } from './world.ts';

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
  /** In which its parts left; undefined: it has none. */
  group: Group | undefined;
};

export type Played = { readonly groups: readonly Group[]; readonly plans: readonly Plan[] };

type Queue = {
  readonly token: number;
  readonly size: bigint;
  readonly windows: readonly bigint[];
  /** When a hostile recipient asks for a part: so many seconds after each leaving; undefined: nobody does. */
  readonly hostileAfter: bigint | undefined;
  hostile: bigint | undefined;
  waiting: Plan[];
};

/**
 * What may be otherwise than the protocol's default: the limit; the parts of a person that wait at most; how many seconds after each leaving a
 * hostile recipient asks for a part, so that the next leaving is counted from that; whether hostile employers have a window due before every
 * round, so that everybody always waits for more.
 */
export type Variant = {
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
  const { limit = EXIT_LIMIT_SECONDS, mostParts = MOST_PARTS } = variant;
  const queues = queuesOf(world, variant);
  const balances = new Map<string, bigint>();
  const [groups, plans]: [Group[], Plan[]] = [[], []];
  const payments = paymentsOf(world).filter(({ person }) => world.people[person]?.habit !== 'at once');
  let next = 0;
  for (let round = START; round < END + limit + ROUND_SECONDS; round += ROUND_SECONDS) {
    for (; (payments[next]?.at ?? END * 2n) <= round; next += 1) {
      plans.push(ask(payments[next] as Payment, queues, balances, mostParts));
    }
    for (const queue of queues) {
      const group = leave(queue, round, limit);
      if (group !== undefined) groups.push(group);
    }
  }
  return { groups, plans };
}

function queuesOf(world: World, { hostileAfter, hostileWindows = false }: Variant): Queue[] {
  const tokens = [...new Set(world.employers.map(({ token }) => token))];
  return tokens.map((token): Queue => {
    const windows = world.employers.filter((each) => each.token === token).flatMap((each) => each.windows);
    for (let due = START + 1n; hostileWindows && due < END; due += ROUND_SECONDS) windows.push(due);
    windows.sort((one, other) => Number(one - other));
    const size = partSize(publicPayOf(world, token));
    const hostile = hostileAfter === undefined ? undefined : START + hostileAfter;
    return { token, size, windows, hostileAfter, hostile, waiting: [] };
  });
}

/** Plans the whole balance, with what stayed from the plan before. */
function ask(payment: Payment, queues: readonly Queue[], balances: Map<string, bigint>, mostParts: number): Plan {
  const { person, employer, token, at, amount } = payment;
  const queue = queues.find((each) => each.token === token) as Queue;
  const key = `${person} ${token}`;
  const balance = (balances.get(key) ?? 0n) + amount;
  const waiting = queue.waiting.reduce((sum, plan) => sum + (plan.person === person ? plan.parts : 0), 0);
  const { parts, rest } = planParts(balance, queue.size, mostParts - waiting);
  balances.set(key, rest);
  const plan: Plan = { person, employer, asked: at, pay: amount, balance, parts, rest, group: undefined };
  if (parts > 0) queue.waiting.push(plan);
  return plan;
}

function leave(queue: Queue, round: bigint, limit: bigint): Group | undefined {
  const { token, size, waiting, windows, hostile } = queue;
  const nextWindow = windows.find((due) => due > round);
  const first = waiting[0]?.asked;
  const isHostileFirst = hostile !== undefined && hostile <= round && (first === undefined || hostile < first);
  const oldest = isHostileFirst ? hostile : first;
  const due = oldest === undefined ? undefined : lastRound(oldest, limit);
  if (leavesAt({ round, due, nextWindow }) === undefined) return undefined;
  queue.waiting = [];
  if (queue.hostileAfter !== undefined) queue.hostile = round + 1n + queue.hostileAfter;
  if (waiting.length === 0) return undefined;
  const held = new Map<number, number>();
  const group: Group = { token, size, round, held };
  for (const plan of waiting) {
    held.set(plan.person, (held.get(plan.person) ?? 0) + plan.parts);
    plan.group = group;
  }
  return group;
}
