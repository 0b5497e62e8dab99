import { NO_APPROVER as NOBODY } from '@payouts/client';
import * as build from '../../fixtures/build.ts';
import type { PersonalModel } from '../balances.ts';
import { ATTACKERS, RECIPIENTS, WALLETS } from '../cast.ts';
import { type Moves, ofPersonal, type Situation } from './move.ts';
import { owned } from './withdrawal.ts';

/** Who can sign authorisations; some of them would like to recover what isn't theirs. */
const KEYED = [...RECIPIENTS, ...ATTACKERS];

/** Mostly the wallet that is named, now and then the next one or somebody else. */
function recoverer({ recovery }: PersonalModel, situation: Situation) {
  const { random } = situation;
  const likely = random.chance(0.8) ? recovery?.wallet : recovery?.change?.wallet;
  // A call that was made wrong may have named anybody.
  return likely !== undefined && KEYED.includes(likely) ? likely : random.pick(KEYED);
}

const name = ofPersonal(
  ({ recovery }) => recovery === undefined,
  ({ holder }, situation) => {
    const wallet = situation.random.chance(0.15) ? NOBODY : situation.random.pick(KEYED);
    return owned(holder, situation, (by) => build.nameRecovery(holder, wallet, by));
  },
);
const request = ofPersonal(
  ({ recovery }) => recovery?.wallet !== undefined && recovery.completesAt === undefined,
  (personal, situation) => {
    const { holder } = personal;
    return owned(holder, situation, (by) => build.requestRecovery(holder, by), recoverer(personal, situation));
  },
);
const refuse = ofPersonal(
  ({ recovery }) => recovery?.completesAt !== undefined,
  ({ holder }, situation) => owned(holder, situation, (by) => build.refuseRecovery(holder, by)),
);
const complete = ofPersonal(
  ({ recovery }) => recovery?.completesAt !== undefined,
  (personal, situation) => {
    const { random } = situation;
    const { holder } = personal;
    const delays = random.chance(0.5) ? {} : { delayMin: random.below(20), delayMax: random.below(40) };
    const to = random.pick(WALLETS);
    return owned(
      holder,
      situation,
      (by) => build.completeRecovery(holder, by, to, delays),
      recoverer(personal, situation),
    );
  },
);

export const recoveryMoves: Moves = [
  [3, name],
  [3, request],
  [1, refuse],
  [3, complete],
];
