import { NO_DAILY_LIMIT } from '@payouts/client';
import * as build from '../../fixtures/build.ts';
import { REMOVAL } from '../../fixtures/constants.ts';
import { APPROVERS, ATTACKERS } from '../cast.ts';
import type { VaultModel } from '../model.ts';
import { base, type Move, type Moves, pick, type Situation } from './move.ts';

const vaultsOf = ({ model }: Situation, isGuarded: boolean): VaultModel[] =>
  [...model.vaults.values()].filter(({ closed, policy }) => !closed && (policy !== undefined) === isGuarded);

/** Names an approver; where there is one, changes something about that. */
const setApproval: Move = (situation) => {
  const { world, random } = situation;
  const isGuarded = random.chance(0.5);
  const vault = pick(situation, vaultsOf(situation, isGuarded));
  if (vault === undefined) return undefined;
  // Mostly so that some lists need the approver and some don't.
  const limit = BigInt(random.chance(0.2) ? 0 : random.between(1, 6_000));
  const dailyLimit = random.chance(0.5) ? NO_DAILY_LIMIT : BigInt(random.between(0, 30_000));
  const approver = isGuarded && random.chance(0.3) ? vault.policy?.approver : undefined;
  const policy =
    isGuarded && random.chance(0.4) ? REMOVAL : { approver: approver ?? random.pick(APPROVERS), limit, dailyLimit };
  return base(build.setApproval(world, vault.vault, policy));
};

const confirmApproval: Move = (situation) => {
  const { random } = situation;
  const vault = pick(
    situation,
    vaultsOf(situation, true).filter(({ policy }) => policy?.change !== undefined),
  );
  if (vault?.policy?.change === undefined) return undefined;
  const { approver, change } = vault.policy;
  const by = random.weighted([
    [6, approver],
    [3, vault.vault.employer],
    [1, random.pick([...APPROVERS, ...ATTACKERS])],
  ] as const);
  return base(build.confirmApproval(vault.vault, random.chance(0.95) ? change : REMOVAL, by));
};

const waiting = ({ model }: Situation) =>
  [...model.schedules.values()].filter(({ proposal }) => proposal !== undefined);

const approveSchedule: Move = (situation) => {
  const { world, random, model } = situation;
  const schedule = pick(situation, random.chance(0.95) ? waiting(situation) : [...model.schedules.values()]);
  if (schedule === undefined) return undefined;
  const approver = random.chance(0.92) ? schedule.vault.policy?.approver : schedule.vault.vault.employer;
  return base(build.approveSchedule(world, schedule.schedule, undefined, approver ?? random.pick(ATTACKERS)));
};

const rejectSchedule: Move = (situation) => {
  const schedule = pick(situation, waiting(situation));
  if (schedule === undefined) return undefined;
  const { vault, policy } = schedule.vault;
  const by = situation.random.pick([
    vault.employer,
    policy?.approver ?? vault.employer,
    situation.random.pick(ATTACKERS),
  ]);
  return base(build.rejectSchedule(schedule.schedule, by));
};

const withdrawApproved: Move = (situation) => {
  const { model, random } = situation;
  const vault = pick(situation, vaultsOf(situation, true));
  if (vault === undefined) return undefined;
  const approver = random.chance(0.9) ? vault.policy?.approver : random.pick(ATTACKERS);
  return base(build.withdrawApproved(vault.vault, random.amount(model.available(vault) / 2n) + 1n, approver));
};

export const approvalMoves: Moves = [
  [3, setApproval],
  [3, confirmApproval],
  [9, approveSchedule],
  [2, rejectSchedule],
  [2, withdrawApproved],
];
