import { type BitmapPage, bitmapPageOf, type Schedule } from '@payouts/testing/litesvm/handles';
import type { World } from '@payouts/testing/litesvm/world';
import * as build from '../../fixtures/build.ts';
import { sponsor } from '../../fixtures/index.ts';
import { anotherBump } from '../../harness/bitmap.ts';
import { rangeOf } from '../../harness/list.ts';
import { PAGE_RENT } from '../../harness/rent.ts';
import { WithdrawalTree } from '../../harness/withdrawals.ts';
import { ATTACKERS } from '../cast.ts';
import type { ScheduleModel, TokenModel, WindowModel } from '../model.ts';
import { base, layer, type Move, type Moves, ofSchedule, type Situation } from './move.ts';
import { anyPlace, placing } from './place.ts';

/** Leaves a batch the lamports alone that it needs itself: it can't sponsor anything. */
function impoverish(world: World, { batch }: Schedule): void {
  const state = world.base.account(batch);
  if (state === undefined) return;
  world.base.set({ ...state, lamports: world.base.minimumBalance(state.data.length) });
}

type Open = ScheduleModel & { open: WindowModel };

export function someOpen({ model, random }: Situation, place: WindowModel['place']): Open | undefined {
  const open = [...model.schedules.values()].filter((schedule): schedule is Open => schedule.open?.place === place);
  return open.length === 0 ? undefined : random.pick(open);
}

/** The openings before some of the latest windows, none of which has paid anything yet, and what had moved in with them. */
function momentAgo({ model, random }: Situation, token: TokenModel): Pick<TokenModel, 'openings' | 'movedIn'> {
  let { openings, movedIn } = token;
  for (;;) {
    const newest = [...model.schedules.values()].find(
      ({ vault, open }) => vault.token === token && open?.opening === openings,
    );
    const { open } = newest ?? {};
    if (open === undefined || open.paid > 0n || open.place !== 'layer' || random.chance(0.5)) {
      return { openings, movedIn };
    }
    if (openings === token.recordedOpenings) return { openings, movedIn };
    openings -= 1n;
    movedIn -= open.amount;
  }
}

/** Withdrawals for attackers, as an authority would have them paid that is in league with the validator. */
function forgedWithdrawals({ random }: Situation, token: TokenModel, total: bigint) {
  const number = random.amount(token.nextNumber);
  const tree = new WithdrawalTree([{ number, amount: random.amount(total + 2n), wallet: random.pick(ATTACKERS) }]);
  return { withdrawalsRoot: tree.root, withdrawalLeaves: tree.leaves, coveredTo: token.coveredTo };
}

/** The tree that an honest coordinator records; a lying one makes one up. */
function liabilities(situation: Situation, token: TokenModel) {
  const { model, lies, random } = situation;
  const moment = momentAgo(situation, token);
  const known = model.held(token) - (token.movedIn - moment.movedIn);
  const total = known > 0n ? known : 0n;
  const tree = model.tree(token, moment.openings);
  const recorded = tree.record(token.sequence + 1n, total, moment, token.nextNumber);
  if (!lies || random.chance(0.9)) return recorded;
  return random.pick([
    { ...recorded, root: random.bytes(32) },
    { ...recorded, total: recorded.total + random.amount(10n) },
    { ...recorded, movedIn: recorded.movedIn + random.amount(10n) },
    { ...recorded, movedIn: recorded.movedIn - random.amount(recorded.movedIn < 10n ? recorded.movedIn : 10n) },
    { ...recorded, total: 0n, openings: token.recordedOpenings, movedIn: token.recordedIn },
    { ...recorded, openings: recorded.openings + random.amount(2n) },
    { ...recorded, openings: token.recordedOpenings },
    { ...recorded, coveredTo: recorded.coveredTo + BigInt(random.below(5)) },
    { ...recorded, coveredTo: random.amount(2n ** 64n - 1n) },
    { ...recorded, withdrawalsRoot: random.bytes(32) },
    { ...recorded, withdrawalLeaves: recorded.withdrawalLeaves + random.below(3) },
    { ...recorded, withdrawalLeaves: 4_096 + random.below(2), coveredTo: recorded.coveredTo + random.amount(5_000n) },
    { ...recorded, ...forgedWithdrawals(situation, token, total) },
    { ...recorded, leaves: recorded.leaves + random.below(3) },
    { ...recorded, sequence: recorded.sequence + 1n },
  ]);
}

/** Lamports that a batch has for accounts of the layer, at most: for a few pages, and some for a counter. */
const SPONSORSHIP = 3n * PAGE_RENT;

const delegateSchedule = ofSchedule(
  ({ open, status }) => open === undefined && status === 'active',
  ({ schedule, window, open }, { world, random }) => {
    let lend = 0n;
    if (open === undefined && world.base.account(schedule.batch) !== undefined) {
      if (random.chance(0.9)) {
        sponsor(world, schedule, random.amount(SPONSORSHIP));
        lend = BigInt(random.below(500_000));
      } else impoverish(world, schedule);
    }
    return base(build.delegateSchedule(world, schedule, window, undefined, lend));
  },
);

/** The first page of a window's bitmap: the one that was made, else one at whose address nothing is; now and then another window's. */
function bitmapFor({ world, random }: Situation, { schedule, open }: Open): BitmapPage {
  const number = open.number + (random.chance(0.97) ? 0n : 1n);
  const pages = [open.bitmapNonce, 1].map((nonce) => bitmapPageOf(schedule, number, 0, nonce)) as [
    BitmapPage,
    BitmapPage,
  ];
  const isMade = open.bitmap.size > 0;
  return isMade || world.layer.account(pages[0].address) === undefined ? pages[0] : pages[1];
}

const openBitmap: Move = (situation) => {
  const { random, world } = situation;
  const schedule = someOpen(situation, 'layer');
  if (schedule === undefined || (schedule.open.bitmap.size > 0 && random.chance(0.8))) return undefined;
  const page = bitmapFor(situation, schedule);
  const pages = random.chance(0.9)
    ? [page]
    : [page, random.pick([bitmapPageOf, anotherBump])(schedule.schedule, schedule.open.number, 0)];
  return layer(build.openBitmapPages(world, schedule.schedule, pages));
};

const claimPayment: Move = (situation) => {
  const { world, random } = situation;
  const schedule = someOpen(situation, 'layer');
  const list = schedule?.open.list;
  if (schedule === undefined || list === undefined) return undefined;
  const start = random.chance(0.5) ? 0 : random.below(list.leaves.length);
  const count = random.chance(0.6) ? list.leaves.length - start : random.between(1, list.leaves.length - start);
  const placeOf = random.chance(0.9) ? placing(situation) : () => anyPlace(situation, schedule.vault.token.token);
  const bitmap = bitmapFor(situation, schedule).address;
  return layer(build.claimPayment(world, schedule.schedule, rangeOf(list, start, count, placeOf), bitmap));
};

/** Permissions that one call can set here: the double's calls and the call's own are 64 at most. */
const MOST_PERMISSIONS = 15;

const setPermissions: Move = (situation) => {
  const { world, model, random } = situation;
  const schedule = someOpen(situation, 'layer');
  if (schedule === undefined) return undefined;
  const { pages, personals, wiped } = model.balances;
  const all = [
    ...pages.keys(),
    ...personals.keys(),
    ...(random.chance(0.1) ? wiped.keys() : []),
    ...situation.cast.holders.slice(0, 2).map((each) => each.personal),
  ];
  const start = random.below(all.length + 1);
  const some = all.slice(start, start + random.below(MOST_PERMISSIONS));
  const accounts = random.chance(0.5) ? [schedule.schedule.batch, ...some] : some;
  return layer(build.setPermissions(world, schedule.schedule, accounts));
};

const closePermission: Move = (situation) => {
  const schedule = someOpen(situation, 'layer');
  return schedule && layer(build.closePermission(situation.world, schedule.schedule));
};

const commit: Move = (situation) => {
  const schedule = someOpen(situation, 'layer');
  if (schedule === undefined) return undefined;
  const { number, bitmap } = schedule.open;
  const made = [...bitmap].sort(([one], [other]) => one - other).map(([, address]) => address);
  const pages = situation.random.chance(0.95) ? made : [...made, ...made];
  return layer(build.commit(situation.world, schedule.schedule, number, pages));
};

/** In the batch's bytes. */
const BATCH_PAID_AMOUNT = 136;
/** Windows settled together: more don't fit into a transaction. */
const MOST_SETTLED = 5;

const settle: Move = (situation) => {
  const schedule = someOpen(situation, 'base');
  if (schedule === undefined || situation.model.layerReset) return undefined;
  const { world, model, random } = situation;
  const { token } = schedule.vault;
  const others = [...model.schedules.values()].filter(
    (other): other is Open => other !== schedule && other.open?.place === 'base' && other.vault.token === token,
  );
  const settled = random.chance(0.5) ? [schedule, ...others.slice(0, MOST_SETTLED - 1)] : [schedule];
  const recorded = settled.map((each) => recordedOf(token, each));
  // Mostly the tree is recorded first where it doesn't know them, or says otherwise.
  const isRecorded = settled.every(({ open }, place) => recorded[place] === open.paid);
  if (!isRecorded && random.chance(0.7)) return record(situation, token);
  const windows = settled.map(({ schedule: handle, open }) => ({ schedule: handle, window: open.number }));
  // A lying authority names what the batches say, which a lying layer has made up.
  const believes = situation.lies && random.chance(0.3);
  const said = believes ? settled.map(({ schedule: { batch } }) => paidBy(world.base.data(batch))) : recorded;
  // Of a window that the tree doesn't know, nothing but that is wrong.
  const paid = settled.reduce((sum, { open }, place) => sum + (said[place] ?? open.paid), 0n);
  return base(build.settleTogether(world, token.token, windows, paid));
};

/** What a batch says that it has paid, whatever came back as one. */
const paidBy = ({ buffer, byteOffset, byteLength }: Uint8Array): bigint =>
  byteLength < BATCH_PAID_AMOUNT + 8 ? 0n : new DataView(buffer, byteOffset).getBigUint64(BATCH_PAID_AMOUNT, true);

/** What the recorded tree says that a window has paid; undefined: it doesn't know it. */
const recordedOf = ({ recorded }: TokenModel, { schedule, open }: Open): bigint | undefined =>
  recorded?.windows.find((each) => each.schedule === schedule.address && each.window === open.number)?.paid;

const record = (situation: Situation, token: TokenModel) =>
  base(build.recordLiabilities(situation.world, token.token, liabilities(situation, token)));

const recordLiabilities: Move = (situation) => {
  const { model, random } = situation;
  return model.layerReset ? undefined : record(situation, random.pick([...model.tokens.values()]));
};

export const windowMoves: Moves = [
  [14, delegateSchedule],
  [16, openBitmap],
  [30, claimPayment],
  [6, setPermissions],
  [3, closePermission],
  [14, commit],
  [14, settle],
  [8, recordLiabilities],
];
