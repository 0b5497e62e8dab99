import { addressToBytes, MAX_U64 } from '@payouts/client';
import type { Holder } from '@payouts/testing/litesvm/handles';
import type { Address, Instruction } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { authorised } from '../../harness/authorisation.ts';
import { provenIn } from '../../harness/withdrawals.ts';
import type { PersonalModel, WithdrawingModel } from '../balances.ts';
import { ATTACKERS, payeesOf, RECIPIENTS, WALLETS } from '../cast.ts';
import { sameBytes } from '../rule.ts';
import { type Call, layer, type Move, type Moves, ofPersonal, pick, type Situation } from './move.ts';
import { anyPlace, placing } from './place.ts';

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
  const { personal } = random.chance(0.9) ? holder : random.pick(cast.holders);
  const expiresAt = world.now + BigInt(random.below(300) - (random.chance(0.1) ? 300 : 0));
  const terms = { personal, signer: random.chance(0.9) ? signer : random.pick(WALLETS), expiresAt };
  return { ...layer(callOf(signer)), authorisation: authorised(recipient, terms) };
}

const isWaiting = ({ number }: WithdrawingModel) => number === undefined;

/** One of the withdrawals of an account, mostly such a one, else any number. */
function someOf(personal: PersonalModel, { random }: Situation, fits: (one: WithdrawingModel) => boolean) {
  const fitting = personal.withdrawals.filter(fits);
  const all = fitting.length > 0 && random.chance(0.95) ? fitting : personal.withdrawals;
  return all.length > 0 && random.chance(0.95) ? random.pick(all) : undefined;
}

const idOf = (found: WithdrawingModel | undefined, { random }: Situation) => found?.id ?? random.below(4);

const request: Move = (situation) =>
  ofPersonal(
    (personal) =>
      situation.model.balances.availableTo(personal) > 0n && personal.withdrawals.length < Math.min(personal.most, 5),
    (personal) => {
      const { holder } = personal;
      const { random, model } = situation;
      // Now and then a little, so that others can follow.
      const most = model.balances.availableTo(personal) / (random.chance(0.5) ? 4n : 1n);
      const asked = random.chance(0.2) ? MAX_U64 : random.amount(most) + 1n;
      const [to, at] = [wallet(situation), release(situation)];
      return owned(holder, situation, (by) => build.requestWithdrawal(holder, asked, to, by, at));
    },
  )(situation);
const requestParts: Move = (situation) =>
  ofPersonal(
    (personal) => situation.model.balances.availableTo(personal) > 0n,
    (personal) => {
      const { random, model } = situation;
      const count = random.below(4);
      const size = random.amount(model.balances.availableTo(personal) / 3n) + 1n;
      const wallets = Array.from({ length: count }, () => wallet(situation));
      const stands = random.chance(0.3) ? 1 : 0;
      return owned(personal.holder, situation, (by) => build.requestParts(personal.holder, size, wallets, by, stands));
    },
  )(situation);
const requestTransfer: Move = (situation) =>
  ofPersonal(
    (personal) =>
      situation.model.balances.availableTo(personal) > 0n && personal.withdrawals.length < Math.min(personal.most, 5),
    (personal) => {
      const { holder } = personal;
      const { random, model } = situation;
      const amount = random.amount(model.balances.availableTo(personal) / 2n) + 1n;
      const { owner } = random.pick(payeesOf(random.chance(0.95) ? holder.token : random.pick(situation.cast.tokens)));
      return owned(holder, situation, (by) => build.requestTransfer(holder, amount, owner, by));
    },
  )(situation);
const executeTransfer = ofPersonal(
  ({ withdrawals }) => withdrawals.some(({ isTransfer }) => isTransfer),
  ({ holder, withdrawals }, situation) => {
    const { world, random } = situation;
    const transfers = withdrawals.filter(({ isTransfer }) => isTransfer);
    const one = random.chance(0.95) ? pick(situation, transfers) : pick(situation, withdrawals);
    if (one === undefined) return undefined;
    const payee = payeesOf(holder.token).find(({ owner }) => sameBytes(owner, addressToBytes(one.wallet)));
    const to =
      payee === undefined || random.chance(0.05) ? anyPlace(situation, holder.token) : placing(situation)(payee);
    return layer(build.executeTransfer(world, holder, to, one.id));
  },
);
const confirm = ofPersonal(
  ({ withdrawals }) => withdrawals.some((each) => !isWaiting(each)),
  (personal, situation) => {
    const found = someOf(personal, situation, (each) => !isWaiting(each));
    const { world } = situation;
    const number = found?.number ?? 0n;
    const proven = provenIn(world, personal.holder.token, number);
    return layer(build.confirmWithdrawal(world, personal.holder, number, proven, idOf(found, situation)));
  },
);
const order = ofPersonal(
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
const execute: Move = (situation) => {
  const { world, random, model } = situation;
  const isOrdered = (personal: PersonalModel) => {
    const available = model.balances.availableTo(personal);
    return available > 0n && (personal.isDelivery || (personal.threshold > 0n && available >= personal.threshold));
  };
  return ofPersonal(isOrdered, ({ holder, delays: [least, most] }) => {
    const isPlanned = most > 0n && random.chance(0.9);
    const after = isPlanned ? least + BigInt(random.below(Number(most - least) + 3_600)) : 0n;
    return layer(build.executeOrder(world, holder, world.now + after));
  })(situation);
};
const releaseDue = ofPersonal(
  ({ withdrawals }) => withdrawals.some(isWaiting),
  (personal, situation) => {
    const { world } = situation;
    // What stands ready has no time: there may be the money for it, or not.
    const isDue = ({ dueAt, inRound }: WithdrawingModel) => inRound || dueAt <= world.now;
    const found = someOf(personal, situation, (each) => isWaiting(each) && isDue(each));
    return layer(build.executeOrder(world, personal.holder, world.now, idOf(found, situation)));
  },
);
const redirect = ofPersonal(
  ({ withdrawals }) => withdrawals.length > 0,
  (personal, situation) => {
    const { holder } = personal;
    const id = idOf(
      someOf(personal, situation, () => true),
      situation,
    );
    const [to, at] = [wallet(situation), release(situation)];
    const stays = situation.random.chance(0.3) ? 1 : 0;
    return owned(holder, situation, (by) => build.redirectWithdrawal(holder, to, by, stays ? 0n : at, id, stays));
  },
);
const cancel = ofPersonal(
  ({ withdrawals }) => withdrawals.some(isWaiting),
  (personal, situation) => {
    const { holder } = personal;
    const id = idOf(someOf(personal, situation, isWaiting), situation);
    return owned(holder, situation, (by) => build.cancelWithdrawal(holder, by, id));
  },
);

export const withdrawalMoves: Moves = [
  [14, request],
  [6, requestParts],
  [8, requestTransfer],
  [10, executeTransfer],
  [26, confirm],
  [4, order],
  [8, execute],
  [6, releaseDue],
  [2, redirect],
  [1, cancel],
];
