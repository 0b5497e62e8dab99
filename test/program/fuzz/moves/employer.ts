import { CalendarUnit, MissedWindows, NO_APPROVER, RoleKind } from '@payouts/client';
import { roleOf, scheduleOf, type Token } from '@payouts/testing/litesvm/handles';
import * as build from '../../fixtures/build.ts';
import { type List, listOf, type Payee } from '../../harness/list.ts';
import { readSchedule } from '../../harness/read.ts';
import { RECIPIENTS } from '../cast.ts';
import { type ScheduleModel, unopened, type VaultModel } from '../model.ts';
import { base, type Move, type Moves, ofSchedule, pick, type Situation } from './move.ts';

const MOST_SCHEDULES = 4;

const openVaults = ({ model }: Situation): VaultModel[] => [...model.vaults.values()].filter(({ closed }) => !closed);
/** A new list, and what an employer promises of it: now and then not its sum. */
function newList({ model, random }: Situation, token: Token): { list: List; amount: bigint } {
  const payees = Array.from(
    { length: random.between(1, 14) },
    (): Payee => ({
      recipient: random.pick(RECIPIENTS),
      amount: random.chance(0.02) ? 0n : BigInt(random.between(1, 1_000)),
      delivery: random.chance(0.3) ? 'wallet' : 'balance',
    }),
  );
  const list = listOf(token, payees);
  model.lists.set(Buffer.from(list.tree.root).toString('hex'), list);
  const amount = random.chance(0.1) ? list.total + BigInt(random.between(-500, 500)) : list.total;
  return { list, amount: amount > 0n ? amount : 1n };
}

const initVault: Move = (situation) => {
  const { world, cast, model, random } = situation;
  const closed = cast.vaults.filter(({ address }) => model.vaults.get(address)?.closed !== false);
  const vault = pick(situation, random.chance(0.9) ? closed : cast.vaults);
  if (vault === undefined) return undefined;
  if (world.base.account(vault.tokenAccount) === undefined) {
    world.openTokenAccount(vault.address, vault.token);
    const token = model.tokens.get(vault.token.mint);
    if (token !== undefined) model.purses.set(vault.tokenAccount, { owner: vault.address, token, amount: 0n });
  }
  return base(build.initVault(world, vault));
};

const deposit: Move = (situation) => {
  const vault = pick(situation, openVaults(situation));
  return vault && base(build.deposit(vault.vault, BigInt(situation.random.between(1, 200_000))));
};

const withdraw: Move = (situation) => {
  const { model, random } = situation;
  const vault = pick(situation, openVaults(situation));
  if (vault === undefined) return undefined;
  const available = model.available(vault);
  // Whoever takes everything leaves nothing for a schedule without an end.
  const most = random.chance(0.25) ? available : random.amount(available / 3n) + 1n;
  const amount = random.chance(0.9) ? most : available + random.amount(3n);
  return base(build.withdraw(vault.vault, amount));
};

/** What attackers have given to a vault, mostly where there is something. */
const bookSurplus: Move = (situation) => {
  const { model, random } = situation;
  const hasSurplus = (vault: VaultModel) =>
    model.purse(vault.vault.tokenAccount).amount > model.available(vault) + model.reserved(vault);
  const isStrict = random.chance(0.9);
  const vault = pick(
    situation,
    openVaults(situation).filter((each) => !isStrict || hasSurplus(each)),
  );
  return vault && base(build.bookSurplus(vault.vault));
};

/** Dates behind a minute, mostly one after the other. */
function datesFrom({ random }: Situation, minute: bigint): number[] {
  let last = Number(minute);
  return Array.from(
    { length: random.between(1, 20) },
    () => (last += random.between(random.chance(0.02) ? -1 : 1, 90)),
  );
}

const createSchedule: Move = (situation) => {
  const { world, random } = situation;
  const vault = pick(situation, openVaults(situation));
  if (vault === undefined || vault.schedules.size >= MOST_SCHEDULES) return undefined;
  const { list, amount } = newList(situation, vault.token.token);
  const unit = random.weighted([
    [8, CalendarUnit.Seconds],
    [2, CalendarUnit.Days],
    [1, CalendarUnit.Weeks],
    [1, CalendarUnit.MonthsLastDay],
    [3, CalendarUnit.Dates],
  ] as const);
  const dates = unit === CalendarUnit.Dates ? datesFrom(situation, world.now / 60n) : [];
  const [date] = dates;
  const kept = random.chance(0.5) ? random.between(1, 20) : 0;
  const monthEnd = Date.UTC(2027, random.between(0, 11) + 1, 0, 9) / 1000;
  return base(
    build.createSchedule(world, scheduleOf(vault.vault, vault.nextId + BigInt(random.below(2))), {
      root: list.tree.root,
      amount,
      recipients: list.leaves.length,
      unit,
      every: unit === CalendarUnit.Dates ? 0 : unit === CalendarUnit.Seconds ? random.between(10, 5_000) : 1,
      day: 0,
      firstExecution:
        date !== undefined
          ? BigInt(date) * 60n
          : unit === CalendarUnit.MonthsLastDay
            ? BigInt(monthEnd)
            : world.now + BigInt(random.below(500)),
      executions: kept === 0 ? random.between(1, 5) : random.between(1, 30),
      batchTimeout: random.between(5, 300),
      missed: random.chance(0.5) ? MissedWindows.Skip : MissedWindows.CatchUp,
      kept,
      dates,
    }),
  );
};

/** Mostly where something is missing and there. */
const reserveWindows: Move = (situation) => {
  const { model, random } = situation;
  const isWanting = (each: ScheduleModel) =>
    each.status === 'active' &&
    each.reserved < Math.min(each.kept, unopened(each)) &&
    model.available(each.vault) >= each.amount;
  const isStrict = random.chance(0.95);
  const schedule = pick(
    situation,
    [...model.schedules.values()].filter((each) => !isStrict || isWanting(each)),
  );
  return schedule && base(build.reserveWindows(schedule.schedule));
};

const isOn = ({ status }: ScheduleModel) => status !== 'cancelled' && status !== 'completed';

const fundSchedule = ofSchedule(
  ({ status }) => status !== 'cancelled',
  ({ schedule }, situation) => {
    const { random, world } = situation;
    const terms = readSchedule(world, schedule);
    const last = terms.dates[terms.dateCount - 1] ?? 0;
    const isDated = terms.unit === CalendarUnit.Dates && random.chance(0.8);
    const dates = isDated ? datesFrom(situation, BigInt(last)) : [];
    return base(build.fundSchedule(schedule, random.between(isDated ? 0 : 1, 3), dates));
  },
);
const updateRecipients = ofSchedule(isOn, ({ schedule }, situation) => {
  const { list, amount } = newList(situation, schedule.vault.token);
  const { random, world } = situation;
  const recipients = list.leaves.length;
  // Now and then by somebody who has not seen the last hold, or of somebody who is not there.
  const holds = readSchedule(world, schedule).holds + (random.chance(0.05) ? random.below(3) - 1 : 0);
  const held = Array.from({ length: recipients + 1 }, (_, index) => index).filter(() => random.chance(0.1));
  const promise = { root: list.tree.root, amount, recipients, holds: Math.max(holds, 0), held };
  return base(build.updateRecipients(world, schedule, promise));
});
const pauseSchedule = ofSchedule(
  ({ status }) => status === 'active',
  ({ schedule }) => base(build.pauseSchedule(schedule)),
);
const resumeSchedule = ofSchedule(
  ({ status }) => status === 'paused',
  ({ schedule }) => base(build.resumeSchedule(schedule)),
);
const cancelSchedule = ofSchedule(isOn, ({ schedule }) => base(build.cancelSchedule(schedule)));
const closeSchedule = ofSchedule(
  ({ status, open }) => (status === 'cancelled' || status === 'completed') && open === undefined,
  ({ schedule }, { world }) => base(build.closeSchedule(world, schedule)),
);
const holdRecipient = ofSchedule(isOn, ({ schedule, recipients }, { random, world }) =>
  base(build.holdRecipient(world, schedule, random.below(recipients + 1))),
);
const releaseRecipient = ofSchedule(
  ({ held }) => held.size > 0,
  ({ schedule, held }, { random, world }) =>
    base(build.releaseRecipient(world, schedule, held.size === 0 ? 0 : random.pick([...held]))),
);

const closeVault: Move = (situation) => {
  const isStrict = situation.random.chance(0.85);
  const vaults = openVaults(situation).filter(({ schedules }) => !isStrict || schedules.size === 0);
  const vault = pick(situation, vaults);
  return vault && base(build.closeVault(vault.vault));
};

/** Gives a key a role, or takes it back; now and then in another's account, or to a key that can have none, which is refused. */
const setRole: Move = ({ world, cast, random }) => {
  const [vault, other] = [random.pick(cast.vaults), random.pick(cast.vaults)];
  const holder = random.chance(0.95) ? random.pick(RECIPIENTS) : random.pick([NO_APPROVER, vault.employer]);
  const given = { holder, kind: random.pick([RoleKind.None, RoleKind.Viewer, RoleKind.Clerk]) };
  return base(build.setRole(world, vault, given, roleOf(random.chance(0.9) ? vault.employer : other.employer, holder)));
};

export const employerMoves: Moves = [
  [4, initVault],
  [10, deposit],
  [6, withdraw],
  [2, bookSurplus],
  [16, createSchedule],
  [6, fundSchedule],
  [20, reserveWindows],
  [4, updateRecipients],
  [2, pauseSchedule],
  [4, resumeSchedule],
  [2, cancelSchedule],
  [5, closeSchedule],
  [2, closeVault],
  [3, holdRecipient],
  [3, releaseRecipient],
  [2, setRole],
];

/** What still makes sense when the layer is lost. */
export const employerExits: Moves = [
  [3, withdraw],
  [2, cancelSchedule],
  [2, closeSchedule],
  [1, closeVault],
  [1, fundSchedule],
];
