import type { Withdrawing } from '@payouts/client';
import type { Holder } from '@payouts/testing/litesvm/handles';
import { REQUESTED, WALLET } from '../../fixtures/constants.ts';
import type { Change } from './call.ts';

const name = ({ slot }: Holder): string => `slot ${slot}`;

/** How a page changes in which a free slot becomes an owner's. */
export const taken = (holder: Holder, amount: bigint): Change => ({
  [name(holder)]: [undefined, { owner: holder.owner, amount }],
});

/** How a page changes in which an owner has more, or less. */
export const moved = (holder: Holder, before: bigint, now: bigint): Change => ({
  [name(holder)]: [
    { owner: holder.owner, amount: before },
    { owner: holder.owner, amount: now },
  ],
});

/** A withdrawal under way: the fixtures' first, before it has its number, or another one. */
export const underWay = (change: Partial<Withdrawing> = {}): Withdrawing => ({
  number: 0n,
  amount: REQUESTED,
  wallet: WALLET,
  dueAt: 0n,
  id: 1,
  inRound: 0,
  toCode: 0,
  ...change,
});
