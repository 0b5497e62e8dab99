import { MAX_U64 } from '@payouts/client';
import type { Holder } from '@payouts/testing/litesvm/handles';
import type { Address, Instruction } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { authorised } from '../../harness/authorisation.ts';
import { ATTACKERS, RECIPIENTS, WALLETS } from '../cast.ts';
import { type Call, layer, type Moves, ofBalance, type Situation } from './move.ts';

const wallet = ({ random }: Situation) => random.pick(random.chance(0.8) ? WALLETS : RECIPIENTS);

/** Now or a time near by; now and then one that is too far ahead. */
function release({ random, world }: Situation): bigint {
  if (random.chance(0.5)) return 0n;
  return world.now + (random.chance(0.1) ? 91n * 86_400n : BigInt(random.below(2_000)));
}

/**
 * A call about a balance, signed by its recipient, or whoever else is to make it, or by a key that they authorise; now and then by one that they
 * do not.
 */
export function owned(
  holder: Holder,
  { random, cast, world }: Situation,
  callOf: (by: Address) => Instruction,
  owner = holder.recipient,
): Call {
  if (random.chance(0.5)) return layer(callOf(owner));
  const signer = random.pick(random.chance(0.8) ? WALLETS : RECIPIENTS);
  const recipient = random.chance(0.9) ? owner : random.pick([...RECIPIENTS, ...ATTACKERS]);
  const { balance } = random.chance(0.9) ? holder : random.pick(cast.holders);
  const expiresAt = world.now + BigInt(random.below(300) - (random.chance(0.1) ? 300 : 0));
  const terms = { balance, signer: random.chance(0.9) ? signer : random.pick(WALLETS), expiresAt };
  return { ...layer(callOf(signer)), authorisation: authorised(recipient, terms) };
}

const request = ofBalance(
  ({ amount, pending, waiting }) => amount > 0n && pending === undefined && waiting === undefined,
  ({ holder, amount }, situation) => {
    const asked = situation.random.chance(0.3) ? MAX_U64 : situation.random.amount(amount) + 1n;
    const [to, at] = [wallet(situation), release(situation)];
    return owned(holder, situation, (by) => build.requestWithdrawal(holder, asked, to, by, at));
  },
);
const confirm = ofBalance(
  ({ pending }) => pending !== undefined,
  ({ holder, pending }, { world }) => layer(build.confirmWithdrawal(world, holder, pending?.number ?? 0n)),
);
const order = ofBalance(
  () => true,
  ({ holder }, situation) => {
    const { random } = situation;
    const terms = random.chance(0.5)
      ? {}
      : { part: BigInt(random.below(9) * 100), delayMin: random.below(20), delayMax: random.below(40) };
    const threshold = BigInt(random.below(3) * 400);
    const to = wallet(situation);
    return owned(holder, situation, (by) => build.setStandingOrder(holder, threshold, to, by, terms));
  },
);
const execute = ofBalance(
  ({ pending, waiting, deliver, threshold, amount }) =>
    pending === undefined && (waiting !== undefined || deliver > 0n || (threshold > 0n && amount >= threshold)),
  ({ holder, delays: [least, most], waiting }, { world, random }) => {
    const isPlanned = waiting === undefined && most > 0n && random.chance(0.9);
    const after = isPlanned ? least + BigInt(random.below(Number(most - least) + 3_600)) : 0n;
    return layer(build.executeOrder(world, holder, world.now + after));
  },
);
const redirect = ofBalance(
  ({ pending, waiting }) => pending !== undefined || waiting !== undefined,
  ({ holder }, situation) => {
    const [to, at] = [wallet(situation), release(situation)];
    return owned(holder, situation, (by) => build.redirectWithdrawal(holder, to, by, at));
  },
);

const cancel = ofBalance(
  ({ pending, waiting }) => pending !== undefined || waiting !== undefined,
  ({ holder }, situation) => owned(holder, situation, (by) => build.cancelWithdrawal(holder, by)),
);

export const withdrawalMoves: Moves = [
  [10, request],
  [24, confirm],
  [4, order],
  [8, execute],
  [2, redirect],
  [1, cancel],
];
