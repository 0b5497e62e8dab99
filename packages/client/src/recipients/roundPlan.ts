import type { Signature } from '@solana/kit';
import { MOST_PARTS, PARTS_AT_ONCE, planParts } from '../exits/plan.ts';
import { laterParts } from '../exits/rounds.ts';
import type { RecipientBalance, RecipientClient } from '../http/recipientClient.ts';
import { MOST_WITHDRAWALS } from '../transactions/instructions.ts';
import type { OwnToken } from './tokens.ts';

/** How many parts are asked of a balance at once. */
export type PartsOf = { readonly balance: RecipientBalance; readonly parts: number };

/** Of these, the last so many may leave in a later round than the others. */
export type PlannedParts = PartsOf & { readonly later: number };

/** How a token's balances leave in rounds; amounts in base units. */
export type RoundPlan = {
  readonly size: bigint;
  /** What is asked for, one after the other. */
  readonly from: readonly PlannedParts[];
  readonly parts: number;
  /** Of these, so many may leave in a later round than the others. */
  readonly later: number;
  readonly total: bigint;
  /** What stays inside. */
  readonly rest: bigint;
};

/**
 * Takes a token's balances apart into equal parts, the largest balance first: all that there are, or no more than an amount. Whoever has parts
 * that wait already gets fewer.
 */
export function planRound({ balances }: Pick<OwnToken, 'balances'>, size: bigint, amount: bigint | 'all'): RoundPlan {
  const waiting = balances.reduce((sum, balance) => sum + waitingOf(balance), 0);
  let left = Math.min(MOST_PARTS - waiting, amount === 'all' ? MOST_PARTS : planParts(amount, size).parts);
  const from: PlannedParts[] = [];
  for (const balance of [...balances].sort((one, other) => (one.amount < other.amount ? 1 : -1))) {
    const room = MOST_WITHDRAWALS - balance.withdrawals.length - balance.standing.length;
    const { parts } = planParts(balance.amount, size, Math.min(room, left));
    left -= parts;
    let wait = waitingOf(balance);
    for (const each of inTurn(balance, parts)) {
      from.push({ ...each, later: laterParts(each.parts, wait) });
      wait += each.parts;
    }
  }
  const later = from.reduce((sum, each) => sum + each.later, 0);
  const parts = from.reduce((sum, each) => sum + each.parts, 0);
  const total = BigInt(parts) * size;
  return { size, from, parts, later, total, rest: balances.reduce((sum, each) => sum + each.amount, 0n) - total };
}

/** Parts of one balance, as they are asked for one after the other. */
function inTurn(balance: RecipientBalance, parts: number): PartsOf[] {
  const requests = Math.ceil(parts / PARTS_AT_ONCE);
  return Array.from({ length: requests }, (_, turn) => ({
    balance,
    parts: Math.min(PARTS_AT_ONCE, parts - turn * PARTS_AT_ONCE),
  }));
}

const waitingOf = ({ withdrawals }: Pick<RecipientBalance, 'withdrawals'>): number =>
  withdrawals.filter(({ inRound }) => inRound).length;

/**
 * How many more parts are to stand ready, of which balances: as many as leave at a time, less those that stand already, so that there are places
 * left for what is asked for in between. They are shared out alike among the balances, since nobody knows which is paid next.
 */
export function planStanding({ balances }: Pick<OwnToken, 'balances'>): readonly PartsOf[] {
  const paid = balances.filter(({ place }) => place !== null);
  const each = Math.floor(MOST_PARTS / Math.max(1, paid.length));
  return paid.flatMap((balance) => {
    const room = MOST_PARTS - balance.withdrawals.length;
    return inTurn(balance, Math.max(0, Math.min(each, room) - balance.standing.length));
  });
}

/** Asks for the parts of a plan, one to each wallet, in as many requests as it takes; returns each part's signature. Throws `ApiFailed`. */
export async function askForParts(
  client: Pick<RecipientClient, 'withdrawInRound'>,
  from: readonly PartsOf[],
  { wallets, ...terms }: Parameters<RecipientClient['withdrawInRound']>[1],
): Promise<Signature[]> {
  const signatures: Signature[] = [];
  for (const { balance, parts } of from) {
    const some = wallets.slice(signatures.length, signatures.length + parts);
    const signature = await client.withdrawInRound(balance, { ...terms, wallets: some });
    signatures.push(...some.map(() => signature));
  }
  return signatures;
}

/** How many parts of which size stand ready, base units, the largest first: after a change of size there may be some of both. */
export function standingParts({
  balances,
}: Pick<OwnToken, 'balances'>): readonly { readonly size: bigint; readonly count: number }[] {
  const counts = new Map<bigint, number>();
  for (const { amount } of balances.flatMap(({ standing }) => standing)) {
    counts.set(amount, (counts.get(amount) ?? 0) + 1);
  }
  return [...counts].map(([size, count]) => ({ size, count })).sort((one, other) => (one.size < other.size ? 1 : -1));
}

/** Why a token has no part to take out: there is nothing, no balance has as much as a part, or no more can wait at a time. */
export type NoPart = 'nothing' | 'below-part' | 'parts-waiting';

export function whyNoPart({ balances }: Pick<OwnToken, 'balances'>, size: bigint): NoPart {
  if (balances.every(({ amount }) => amount === 0n)) return 'nothing';
  return balances.every(({ amount }) => amount < size) ? 'below-part' : 'parts-waiting';
}
