import * as build from '../../fixtures/build.ts';
import { WITHOUT_LEAF } from '../../fixtures/constants.ts';
import type { ScheduleModel, TokenModel } from '../model.ts';
import { base, type Call, type Move, type Moves, type Situation } from './move.ts';

/** The call that redeems a leaf, as its recipient would make it. */
export function redeemCall({ world }: Situation, token: TokenModel, index: number): Call | undefined {
  const leaf = token.recorded?.balances[index];
  if (leaf === undefined || token.recorded === undefined) return undefined;
  return base(build.redeem(world, leaf.holder, token.recorded.balance(index)));
}

/** The call that returns an open window's rest, as anybody may make it. */
export function reclaimCall({ vault, open, schedule }: ScheduleModel): Call | undefined {
  const { recorded, recordedOpenings } = vault.token;
  if (open === undefined) return undefined;
  if (open.opening > recordedOpenings) return base(build.reclaimWindow(schedule, WITHOUT_LEAF));
  if (recorded === undefined || !recorded.windows.some((each) => each.schedule === schedule.address)) return undefined;
  return base(build.reclaimWindow(schedule, recorded.window(schedule.address)));
}

const redeem: Move = (situation) => {
  const token = situation.random.pick([...situation.model.tokens.values()]);
  const leaves = token.recorded?.balances.length ?? 0;
  return leaves === 0 ? undefined : redeemCall(situation, token, situation.random.below(leaves));
};

const reclaim: Move = ({ model, random }) => {
  const open = [...model.schedules.values()].filter((schedule) => schedule.open !== undefined);
  return open.length === 0 ? undefined : reclaimCall(random.pick(open));
};

export const wayOutMoves: Moves = [
  [10, redeem],
  [6, reclaim],
];
