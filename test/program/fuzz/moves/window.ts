import { buildClaimPayment } from '../../fixtures/claimPayment.ts';
import { buildClosePermission } from '../../fixtures/closePermission.ts';
import { buildCommit } from '../../fixtures/commit.ts';
import { buildDelegateSchedule, sponsor } from '../../fixtures/delegateSchedule.ts';
import { buildRecordOwed } from '../../fixtures/recordOwed.ts';
import { buildSetPermissions } from '../../fixtures/setPermissions.ts';
import { buildSettle } from '../../fixtures/settle.ts';
import type { Schedule } from '../../harness/handles.ts';
import { rangeOf } from '../../harness/list.ts';
import type { World } from '../../harness/world.ts';
import type { ScheduleModel, TokenModel, WindowModel } from '../model.ts';
import { base, layer, type Move, type Situation } from './move.ts';

/** Leaves a batch the lamports alone that it needs itself: it can't sponsor anything. */
function impoverish(world: World, { batch }: Schedule): void {
  const state = world.base.account(batch);
  if (state === undefined) return;
  world.base.set({ ...state, lamports: world.base.minimumBalance(state.data.length) });
}

type Open = ScheduleModel & { open: WindowModel };

function someOpen({ model, random }: Situation, place: WindowModel['place']): Open | undefined {
  const open = [...model.schedules.values()].filter((schedule): schedule is Open => schedule.open?.place === place);
  return open.length === 0 ? undefined : random.pick(open);
}

/** The tree that an honest coordinator records; a lying one makes one up. */
function owed({ model, lies, random }: Situation, token: TokenModel, held: bigint, settling?: ScheduleModel) {
  const total = held > 0n ? held : 0n;
  const recorded = model.tree(token, settling).record(token.sequence + 1n, total, token.nextNumber);
  if (!lies || random.chance(0.9)) return recorded;
  return random.pick([
    { ...recorded, root: random.bytes(32) },
    { ...recorded, total: recorded.total + random.amount(10n) },
    { ...recorded, coveredTo: recorded.coveredTo + BigInt(random.below(5)) },
    { ...recorded, leaves: recorded.leaves + random.below(3) },
    { ...recorded, sequence: recorded.sequence + 1n },
  ]);
}

const delegateSchedule: Move = ({ world, model, random }) => {
  const isStrict = random.chance(0.85);
  const idle = [...model.schedules.values()].filter(
    ({ open, status }) => !isStrict || (open === undefined && status === 'active'),
  );
  if (idle.length === 0) return undefined;
  const { schedule, recipients, window, open } = random.pick(idle);
  if (open === undefined && world.base.account(schedule.batch) !== undefined) {
    // As much again and one more, for read permissions: one costs less than a balance.
    if (random.chance(0.9)) sponsor(world, schedule, 2 * recipients + 1);
    else impoverish(world, schedule);
  }
  return base(buildDelegateSchedule(world, schedule, window));
};

const claimPayment: Move = (situation) => {
  const { world, random } = situation;
  const schedule = someOpen(situation, 'layer');
  const list = schedule?.open.list;
  if (schedule === undefined || list === undefined) return undefined;
  const start = random.chance(0.5) ? 0 : random.below(list.leaves.length);
  const count = random.chance(0.6) ? list.leaves.length - start : random.between(1, list.leaves.length - start);
  return layer(buildClaimPayment(world, schedule.schedule, rangeOf(list, start, count)));
};

/** Permissions that one call can set here: the double's calls and the call's own are 64 at most. */
const MOST_PERMISSIONS = 15;

const setPermissions: Move = (situation) => {
  const { world, random } = situation;
  const schedule = someOpen(situation, 'layer');
  const all = schedule?.open.list?.holders;
  if (schedule === undefined || all === undefined) return undefined;
  const there = random.chance(0.9) ? all.filter(({ balance }) => world.layer.keeps(balance)) : all;
  const start = random.below(there.length + 1);
  const holders = there.slice(start, start + random.below(MOST_PERMISSIONS));
  return layer(buildSetPermissions(world, schedule.schedule, { holders, ofBatch: random.chance(0.5) }));
};

const closePermission: Move = (situation) => {
  const schedule = someOpen(situation, 'layer');
  return schedule && layer(buildClosePermission(situation.world, schedule.schedule));
};

const commit: Move = (situation) => {
  const schedule = someOpen(situation, 'layer');
  return schedule && layer(buildCommit(situation.world, schedule.schedule, schedule.open.number));
};

const settle: Move = (situation) => {
  const schedule = someOpen(situation, 'base');
  if (schedule === undefined || situation.model.layerReset) return undefined;
  const { world, model } = situation;
  const { open, vault } = schedule;
  const held = model.held(vault.token) - (open.amount - open.paid);
  return base(buildSettle(world, schedule.schedule, open.number, owed(situation, vault.token, held, schedule)));
};

const recordOwed: Move = (situation) => {
  const { world, model, random } = situation;
  if (model.layerReset) return undefined;
  const token = random.pick([...model.tokens.values()]);
  return base(buildRecordOwed(world, token.token, owed(situation, token, model.held(token))));
};

export const windowMoves: readonly (readonly [number, Move])[] = [
  [14, delegateSchedule],
  [30, claimPayment],
  [6, setPermissions],
  [3, closePermission],
  [14, commit],
  [14, settle],
  [8, recordOwed],
];
