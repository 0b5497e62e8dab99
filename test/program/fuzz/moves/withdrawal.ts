import { MAX_U64 } from '@payouts/client';
import { buildConfirmWithdrawal } from '../../fixtures/confirmWithdrawal.ts';
import { buildExecuteOrder } from '../../fixtures/executeOrder.ts';
import { buildRedirectWithdrawal } from '../../fixtures/redirectWithdrawal.ts';
import { buildRequestWithdrawal } from '../../fixtures/requestWithdrawal.ts';
import { buildSetStandingOrder } from '../../fixtures/setStandingOrder.ts';
import { RECIPIENTS, WALLETS } from '../cast.ts';
import type { BalanceModel } from '../model.ts';
import { layer, type Move, type Situation } from './move.ts';

/** A move about one balance. */
const ofBalance =
  (
    fits: (balance: BalanceModel) => boolean,
    build: (balance: BalanceModel, situation: Situation) => ReturnType<Move>,
  ) =>
  (situation: Situation) => {
    // Now and then one that it does not fit.
    const isStrict = situation.random.chance(0.9);
    const fitting = [...situation.model.balances.values()].filter((balance) => !isStrict || fits(balance));
    return fitting.length === 0 ? undefined : build(situation.random.pick(fitting), situation);
  };

const wallet = ({ random }: Situation) => random.pick(random.chance(0.8) ? WALLETS : RECIPIENTS);

const request = ofBalance(
  ({ amount, pending }) => amount > 0n && pending === undefined,
  ({ holder, amount }, situation) => {
    const asked = situation.random.chance(0.3) ? MAX_U64 : situation.random.amount(amount) + 1n;
    return layer(buildRequestWithdrawal(holder, asked, wallet(situation)));
  },
);
const confirm = ofBalance(
  ({ pending }) => pending !== undefined,
  ({ holder, pending }, { world }) => layer(buildConfirmWithdrawal(world, holder, pending?.number ?? 0n)),
);
const order = ofBalance(
  () => true,
  ({ holder }, situation) =>
    layer(buildSetStandingOrder(holder, BigInt(situation.random.below(3) * 400), wallet(situation))),
);
const execute = ofBalance(
  ({ pending, deliver, threshold, amount }) =>
    pending === undefined && (deliver > 0n || (threshold > 0n && amount >= threshold)),
  ({ holder }, { world }) => layer(buildExecuteOrder(world, holder)),
);
const redirect = ofBalance(
  ({ pending }) => pending !== undefined,
  ({ holder }, situation) => layer(buildRedirectWithdrawal(holder, wallet(situation))),
);

export const withdrawalMoves: readonly (readonly [number, Move])[] = [
  [10, request],
  [24, confirm],
  [4, order],
  [8, execute],
  [2, redirect],
];
