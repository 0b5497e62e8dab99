import { MAX_U64 } from '@payouts/client';
import { signer } from '@payouts/testing/litesvm/addresses';
import { SYSTEM_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Random } from '@payouts/testing/random';
import type { Address } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { DAY, LIMITS } from '../../fixtures/constants.ts';
import { ATTACKERS, KEYS } from '../cast.ts';
import type { Model } from '../model.ts';
import { base, type Call, type Move, type Moves, pick, type Situation } from './move.ts';

export const FUZZ_LIMITS = { ...LIMITS, maxRecipients: 64, minInterval: 1, minBatchTimeout: 1, maxClaims: 50 };

const updateConfig: Move = ({ world, model, random }) => {
  const heirs = KEYS.filter((key) => key !== model.guardian);
  const pendingGovernance: Address = random.chance(0.7) ? random.pick(heirs) : SYSTEM_PROGRAM;
  const flags = random.chance(0.6) ? 0 : random.below(4);
  const validator = random.chance(0.5) ? world.validator : world.otherValidator;
  const fees = { windowFee: random.below(1_000), recipientFee: random.below(1_000), openingFee: random.below(1_000) };
  const limits = { ...FUZZ_LIMITS, ...fees, maxClaims: random.between(50, 1_100) };
  const governance = signer(model.governance);
  return base(build.updateConfig(world, { governance, pendingGovernance, validator, limits, flags }));
};

/** Puts roles and limits back. */
export const mendConfig: Move = ({ world, model }) => {
  const pendingGovernance = SYSTEM_PROGRAM;
  return base(
    build.updateConfig(world, { governance: signer(model.governance), pendingGovernance, limits: FUZZ_LIMITS }),
  );
};

const acceptGovernance: Move = ({ model }) =>
  model.pendingGovernance === undefined ? undefined : base(build.acceptGovernance(model.pendingGovernance));

const setWhitelist: Move = ({ world, model, cast, random }) => {
  const subject = random.pick([...cast.vaults.map(({ employer }) => employer), ...cast.tokens.map(({ mint }) => mint)]);
  return base(build.setWhitelist(world, subject, random.chance(0.8) ? 1 : 0, model.governance));
};

const setLeastOpening: Move = ({ world, model, cast, random }) => {
  const amount = random.chance(0.7) ? 0n : random.chance(0.5) ? random.amount(2_000n) : MAX_U64;
  const { governance, guardian } = model;
  return base(build.setLeastOpening(world, random.pick(cast.tokens), amount, { governance, guardian }));
};

const updateGuardian: Move = ({ world, model, random }) => {
  const { governance, guardian, pendingGovernance } = model;
  const newGuardian = random.pick(KEYS.filter((key) => key !== governance && key !== pendingGovernance));
  const lossGrace = DAY * random.between(1, 3);
  return base(build.updateGuardian(world, { governance, guardian, newGuardian, lossGrace }));
};

const again: Move = ({ world, cast, random }) =>
  base(
    random.pick([
      build.initConfig(world),
      build.initPool(world, random.pick(cast.tokens)),
      build.initCounter(world, random.pick(cast.tokens)),
    ]),
  );

export const revokeLoss: Move = ({ model, random }) =>
  base(build.revokeLoss(random.pick([model.governance, model.guardian])));

export const declareLoss: Move = ({ world, model }) => base(build.declareLoss(world, model.governance, model.guardian));

/** With one key of the two. */
const declareLossAlone: Move = ({ world, model, random }) => {
  const { governance, guardian } = model;
  const other = random.pick([...KEYS, ...ATTACKERS].filter((key) => key !== governance && key !== guardian));
  return base(
    random.chance(0.5) ? build.declareLoss(world, governance, other) : build.declareLoss(world, other, guardian),
  );
};

export const liftSuspension: Move = ({ world, model }) =>
  base(build.liftSuspension(world, model.governance, model.guardian));

/** How the key of this world gets the execution authority back. */
export const returnAuthority = ({ world, model }: Situation): Call[] =>
  [
    build.proposeAuthority(world, world.authority, model.governance),
    build.approveAuthority(world, world.authority, model.guardian),
    build.acceptAuthority(world.authority),
  ].map(base);

const eitherKey = ({ model, random }: Situation) => random.pick([model.governance, model.guardian]);

const proposeAuthority: Move = ({ world, model, random }) =>
  base(build.proposeAuthority(world, random.pick([world.authority, ...ATTACKERS]), model.governance));

const approveAuthority: Move = ({ world, model }) =>
  model.proposed?.authority === world.authority
    ? base(build.approveAuthority(world, world.authority, model.guardian))
    : undefined;

/** The key that there is, so that everything goes on by it; another's only before its time. */
const acceptAuthority: Move = ({ world, model }) => {
  const { proposed } = model;
  if (proposed === undefined || (proposed.authority !== world.authority && world.now >= proposed.from))
    return undefined;
  return base(build.acceptAuthority(proposed.authority));
};

const refuseAuthority: Move = (situation) => base(build.refuseAuthority(eitherKey(situation)));

/** Another key in the place of one of the two, now and then an attacker's, which is refused. */
const proposeReplacement: Move = (situation) => {
  const { model, random } = situation;
  const key = random.pick([...KEYS, ...ATTACKERS].filter((each) => ![model.governance, model.guardian].includes(each)));
  return base(build.proposeReplacement(eitherKey(situation), key));
};

/** One of the keys that are proposed. */
const aNext = ({ next: { governance, guardian } }: Model, random: Random) =>
  random.chance(0.5) ? (governance ?? guardian) : (guardian ?? governance);

const acceptReplacement: Move = ({ world, model, random }) => {
  const next = aNext(model, random);
  if (next === undefined || (ATTACKERS.includes(next.key) && world.now >= next.from)) return undefined;
  return base(build.acceptReplacement(next.key));
};

const refuseReplacement: Move = (situation) => {
  const next = aNext(situation.model, situation.random);
  return next && base(build.refuseReplacement(eitherKey(situation), next.key));
};

/** By a window whose batch is away: mostly too early. */
export const declareByWindow: Move = (situation) => {
  const open = [...situation.model.schedules.values()].filter((schedule) => schedule.open !== undefined);
  const away = open.filter((schedule) => schedule.open?.place !== 'base');
  // Mostly of a batch that isn't back: else hardly anybody would ever be right.
  const schedule = pick(situation, situation.random.chance(0.8) ? away : open);
  return schedule && base(build.declareLossAlone(eitherKey(situation), schedule.schedule));
};

const suspend: Move = (situation) => base(build.suspend(eitherKey(situation)));

export const governanceMoves: Moves = [
  [2, updateConfig],
  [2, acceptGovernance],
  [4, setWhitelist],
  [2, setLeastOpening],
  [1, updateGuardian],
  [1, again],
  [1, revokeLoss],
  [1, declareLossAlone],
  [3, proposeAuthority],
  [4, approveAuthority],
  [6, acceptAuthority],
  [1, refuseAuthority],
  [1, suspend],
  [2, proposeReplacement],
  [8, acceptReplacement],
  [1, refuseReplacement],
  [3, declareByWindow],
];
