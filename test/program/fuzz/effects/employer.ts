import { MissedWindows, NO_APPROVER, RoleKind } from '@payouts/client';
import { roleOf, scheduleOf } from '@payouts/testing/litesvm/handles';
import { getAddressDecoder } from '@solana/kit';
import {
  type ProposalModel,
  rule,
  type ScheduleModel,
  spendsAlone,
  termsText,
  unopened,
  type VaultModel,
} from '../model.ts';
import type { Done, Effects } from './effect.ts';

/** The schedule of an employer's instruction, whose accounts are employer, vault, schedule at these places. */
function own(done: Done, vaultAt = 1, scheduleAt = 2): ScheduleModel {
  const schedule = done.model.schedule(done.at(scheduleAt));
  rule(schedule.vault.vault.address === done.at(vaultAt), 'a schedule was taken for that of another vault');
  done.signedBy(0, schedule.vault.vault.employer, 'employer');
  return schedule;
}

function ownVault(done: Done, at: number): VaultModel {
  const vault = done.model.vault(done.at(at));
  done.signedBy(0, vault.vault.employer, 'employer');
  return vault;
}

/** Puts a list in force. */
export function putList(done: Done, schedule: ScheduleModel, list: NonNullable<ProposalModel['list']>): void {
  const { held, holds, ...terms } = list;
  rule(holds === schedule.holds, 'a list came into force whose employer had not seen who is held back');
  rule(held.length <= 32 && held.every((index) => index < terms.recipients), 'somebody is held back who is not there');
  Object.assign(schedule, terms);
  schedule.list = done.model.lists.get(list.root);
  schedule.held = new Set(held);
  rule(schedule.held.size === held.length, 'somebody is held back twice');
  schedule.holds += held.length;
  schedule.version += 1;
}

/** Reserves by the list and the executions that are in force now. */
export function reserveAnew({ model }: Done, schedule: ScheduleModel): void {
  schedule.reserved = 0;
  model.refill(schedule);
}

/** Ends a schedule before its time. */
export function cancel(schedule: ScheduleModel): void {
  schedule.status = 'cancelled';
  schedule.left = schedule.open === undefined ? 0 : 1;
  schedule.reserved = 0;
  schedule.proposal = undefined;
}

export const covered = (done: Done, vault: VaultModel) =>
  rule(done.model.available(vault) >= 0n, () => `more was promised than there is: ${done.model.available(vault)}`);
const notEnded = ({ status }: ScheduleModel) =>
  rule(status !== 'cancelled' && status !== 'completed', 'an ended schedule was changed');

/** What an employer does with vaults and schedules. */
export const employerEffects: Effects = {
  7: (done) => {
    const vault = done.model.vault(done.at(2));
    done.signedBy(0, done.model.purse(done.at(1)).owner, 'owner of the deposited tokens');
    rule(!vault.closed, 'tokens went into a closed vault');
    rule(done.at(3) === vault.vault.tokenAccount, 'a deposit went elsewhere');
    rule(done.at(1) !== done.at(3), 'a vault deposited into itself');
    done.model.move(done.at(1), done.at(3), done.u64(1));
    vault.deposited += done.u64(1);
  },
  58: (done) => {
    const schedule = done.model.schedule(done.at(1));
    rule(schedule.vault.vault.address === done.at(0), 'a schedule was taken for that of another vault');
    rule(schedule.status === 'active', 'windows were reserved of a schedule that is not active');
    rule(done.model.refill(schedule) > 0, 'windows were reserved that nobody has promised, or that nothing covers');
  },
  57: (done) => {
    const vault = done.model.vault(done.at(0));
    rule(!vault.closed, 'tokens went into a closed vault');
    rule(done.at(1) === vault.vault.tokenAccount, 'the tokens of another account were booked');
    const booked = done.model.available(vault) + done.model.reserved(vault);
    const surplus = done.model.purse(done.at(1)).amount - booked;
    rule(surplus > 0n, 'tokens were booked that are not there');
    vault.deposited += surplus;
  },
  8: (done) => {
    const vault = ownVault(done, 1);
    const amount = done.u64(1);
    rule(amount <= done.model.available(vault), 'promised tokens were withdrawn');
    rule(spendsAlone(vault, amount, amount, done.now), 'a withdrawal above the limits went past the approver');
    rule(done.at(2) === vault.vault.tokenAccount && done.at(3) !== done.at(2), 'a withdrawal went in circles');
    done.model.move(done.at(2), done.at(3), amount);
    vault.withdrawn += amount;
  },
  9: (done) => {
    const vault = ownVault(done, 4);
    const { model } = done;
    const id = done.u64(1);
    rule(!vault.closed, 'a schedule in a closed vault');
    rule(id >= vault.nextId, 'a schedule’s id was used again');
    vault.nextId = id + 1n;
    const schedule = scheduleOf(vault.vault, id);
    rule(schedule.address === done.at(5) && schedule.batch === done.at(6), 'a schedule stands at a wrong address');
    const sum = done.u64(41) * BigInt(done.u32(67));
    const awaits = !spendsAlone(vault, done.u64(41), sum, done.now);
    const created: ScheduleModel = {
      schedule,
      vault,
      root: done.hex(9),
      list: model.lists.get(done.hex(9)),
      amount: done.u64(41),
      recipients: done.u32(49),
      left: done.u32(67),
      kept: done.u8(76),
      reserved: 0,
      status: awaits ? 'awaiting' : 'active',
      proposal: awaits ? { at: done.now, list: undefined, executions: 0 } : undefined,
      approved: new Set(),
      timeout: BigInt(done.u32(71)),
      skips: done.u8(75) === MissedWindows.Skip,
      window: 0n,
      held: new Set(),
      holds: 0,
      version: 0,
      open: undefined,
    };
    if (!awaits) created.approved.add(termsText(created));
    vault.schedules.add(created);
    model.schedules.set(schedule.address, created);
    model.byBatch.set(schedule.batch, created);
    model.refill(created);
    rule(
      created.kept === 0 || created.reserved === Math.min(created.kept, created.left),
      'a schedule without an end began with less than it keeps',
    );
    covered(done, vault);
  },
  10: (done) => {
    const schedule = own(done, 3, 4);
    rule(schedule.status !== 'cancelled', 'a cancelled schedule was funded');
    const { proposal, vault, status } = schedule;
    const sum = schedule.amount * BigInt(done.u32(1));
    if (status !== 'awaiting' && !spendsAlone(vault, schedule.amount, sum, done.now)) {
      const executions = (proposal?.executions ?? 0) + done.u32(1);
      schedule.proposal = { at: done.now, list: proposal?.list, executions };
      return;
    }
    schedule.left += done.u32(1);
    done.model.refill(schedule);
    if (proposal !== undefined && status === 'awaiting') schedule.proposal = { ...proposal, at: done.now };
    if (schedule.status === 'completed' && schedule.left > 0) schedule.status = 'active';
    covered(done, schedule.vault);
  },
  11: (done) => {
    const schedule = own(done, 3, 4);
    notEnded(schedule);
    const { vault, status, proposal } = schedule;
    const held = Array.from({ length: done.u16(49) }, (_, place) => done.u32(51 + 4 * place));
    const list = { root: done.hex(1), amount: done.u64(33), recipients: done.u32(41), holds: done.u32(45), held };
    const windows = unopened(schedule);
    if (status !== 'awaiting' && !spendsAlone(vault, list.amount, list.amount * BigInt(windows), done.now)) {
      schedule.proposal = { at: done.now, list, executions: proposal?.executions ?? 0 };
      return;
    }
    putList(done, schedule, list);
    reserveAnew(done, schedule);
    if (status !== 'awaiting') schedule.approved.add(termsText(list));
    schedule.proposal = status === 'awaiting' ? { at: done.now, list: undefined, executions: 0 } : undefined;
    covered(done, vault);
  },
  12: (done) => {
    const schedule = own(done);
    rule(schedule.status === 'active', 'a schedule was paused that was not active');
    schedule.status = 'paused';
  },
  13: (done) => {
    const schedule = own(done);
    rule(schedule.status === 'paused', 'a schedule was resumed that was not paused');
    schedule.status = 'active';
  },
  14: (done) => {
    const schedule = own(done);
    notEnded(schedule);
    cancel(schedule);
  },
  18: (done) => {
    const schedule = own(done);
    rule(schedule.status === 'cancelled' || schedule.status === 'completed', 'a schedule was closed that goes on');
    rule(schedule.open === undefined, 'a schedule was closed with an open window');
    schedule.vault.schedules.delete(schedule);
    done.model.schedules.delete(schedule.schedule.address);
    done.model.byBatch.delete(schedule.schedule.batch);
  },
  19: (done) => {
    const vault = ownVault(done, 1);
    const { model } = done;
    rule(vault.policy === undefined, 'a vault was closed past its approver');
    rule(vault.schedules.size === 0 && !vault.closed, 'a vault was closed that is in use');
    rule(done.at(2) === vault.vault.tokenAccount && done.at(3) !== done.at(2), 'a closed vault paid itself');
    vault.withdrawn += model.available(vault);
    vault.closed = true;
    model.move(done.at(2), done.at(3), model.purse(done.at(2)).amount);
    model.purses.delete(done.at(2));
  },
  21: (done) => {
    const schedule = own(done);
    notEnded(schedule);
    rule(done.u32(1) === schedule.version, 'somebody of another list was held back');
    const index = done.u32(5);
    rule(index < schedule.recipients && !schedule.held.has(index) && schedule.held.size < 32, 'held back what is not');
    schedule.held.add(index);
    schedule.holds += 1;
  },
  22: (done) => {
    const schedule = own(done);
    rule(done.u32(1) === schedule.version, 'somebody of another list was released');
    rule(schedule.held.delete(done.u32(5)), 'somebody was released who was not held back');
    schedule.holds += 1;
  },
  82: (done) => {
    const employer = done.at(0);
    done.signedBy(0, employer, 'employer');
    const holder = getAddressDecoder().decode(done.bytes, 1);
    rule(done.at(2) === roleOf(employer, holder), 'an employer gave a role with another one');
    rule(holder !== employer && holder !== NO_APPROVER && done.u8(33) <= RoleKind.Clerk, 'a role that there is not');
  },
};
