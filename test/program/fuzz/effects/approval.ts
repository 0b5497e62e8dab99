import { NO_DATE } from '@payouts/client';
import { REMOVAL } from '../../fixtures/constants.ts';
import { type PolicyModel, rule, type ScheduleModel, termsText, type VaultModel } from '../model.ts';
import type { Done, Effects } from './effect.ts';
import { cancel, covered, putList, reserveAnew } from './employer.ts';

const WEEK = 604_800n;
const MONTH = 30n * 86_400n;
/** In the instruction's data: the limits, behind number and approver. */
const LIMIT_AT = 33;
const DAILY_LIMIT_AT = 41;
/** In the instruction's data: windows kept, behind the terms of the calendar. */
const KEPT_AT = 72;
/** In the schedule's bytes. */
const NEXT_EXECUTION = 128;

function policyOf({ policy }: VaultModel): PolicyModel {
  rule(policy !== undefined, 'somebody approved for a vault without an approver');
  return policy;
}

/** A schedule that something waits of. */
function waiting(done: Done) {
  const schedule = done.model.schedule(done.at(3));
  rule(schedule.vault.vault.address === done.at(2), 'a schedule was taken for that of another vault');
  const { proposal } = schedule;
  rule(proposal !== undefined, 'what nobody proposed was decided');
  return { schedule, proposal };
}

/** What the approver has named, which must be what will stand. */
function checkNamed(done: Done, schedule: ScheduleModel, executions: number, list = termsOf(schedule)): void {
  rule(done.hex(1) === list.root, 'another list was approved than was named');
  rule(done.u64(33) === list.amount && done.u32(41) === list.recipients, 'other amounts were approved than were named');
  rule(done.u64(45) === schedule.window + BigInt(executions), 'other executions were approved than were named');
  rule(done.u8(KEPT_AT) === schedule.kept, 'another end was approved than was named');
}

const termsOf = ({ root, amount, recipients }: ScheduleModel) => ({ root, amount, recipients });

/** Two persons: what needs the approver, and how the approver is changed. */
export const approvalEffects: Effects = {
  41: (done) => {
    const vault = done.model.vault(done.at(2));
    done.signedBy(0, vault.vault.employer, 'employer');
    rule(!vault.closed && done.at(3) === vault.vault.approval, 'a policy stands where it does not belong');
    const [approver, limit, dailyLimit] = [done.address(1), done.u64(LIMIT_AT), done.u64(DAILY_LIMIT_AT)];
    rule(approver !== vault.vault.employer, 'an employer approves alone');
    const { policy } = vault;
    const isStricter = approver === policy?.approver && limit <= policy.limit && dailyLimit <= policy.dailyLimit;
    vault.policy =
      policy === undefined || isStricter
        ? { approver, limit, dailyLimit, change: undefined }
        : { ...policy, change: { approver, limit, dailyLimit, at: done.now + WEEK } };
  },
  42: (done) => {
    const vault = done.model.vault(done.at(2));
    const policy = policyOf(vault);
    const { change } = policy;
    rule(change !== undefined, 'a policy changed that nobody wanted changed');
    const isDue = done.now >= change.at && done.at(0) === vault.vault.employer;
    done.signedBy(0, isDue ? vault.vault.employer : policy.approver, 'approver, and not the employer in due time');
    const { approver, limit, dailyLimit } = change;
    const isNamed = done.u64(LIMIT_AT) === limit && done.u64(DAILY_LIMIT_AT) === dailyLimit;
    rule(done.address(1) === approver && isNamed, 'another policy was confirmed than was named');
    const isRemoved = approver === REMOVAL.approver;
    vault.policy = isRemoved ? undefined : { approver, limit, dailyLimit, change: undefined };
    if (isRemoved) vault.spent = { day: 0n, sum: 0n };
  },
  43: (done) => {
    const { schedule, proposal } = waiting(done);
    done.signedBy(0, policyOf(schedule.vault).approver, 'approver');
    rule(done.now <= proposal.at + MONTH, 'what was forgotten was approved');
    const executions = schedule.left + proposal.executions;
    checkNamed(done, schedule, executions, proposal.list);
    rule(executions > 0, 'an ended schedule was approved');
    const isNew = schedule.status === 'awaiting' || schedule.status === 'completed';
    if (proposal.list !== undefined) putList(done, schedule, proposal.list);
    schedule.left = executions;
    reserveAnew(done, schedule);
    schedule.proposal = undefined;
    schedule.approved.add(termsText(schedule));
    if (isNew) {
      schedule.status = 'active';
      const data = done.world.base.data(done.at(3));
      const next = new DataView(data.buffer, data.byteOffset).getBigInt64(NEXT_EXECUTION, true);
      // A clock beyond the last year that there are dates of passes the time that stands for none.
      rule(next >= done.now || next === NO_DATE, 'windows of the waiting time pile up');
    }
    covered(done, schedule.vault);
  },
  44: (done) => {
    const { schedule } = waiting(done);
    const { vault, policy } = schedule.vault;
    done.signedBy(0, done.at(0) === vault.employer ? vault.employer : policy?.approver, 'employer or approver');
    if (schedule.status === 'awaiting') cancel(schedule);
    schedule.proposal = undefined;
  },
  45: (done) => {
    const vault = done.model.vault(done.at(3));
    done.signedBy(0, vault.vault.employer, 'employer');
    done.signedBy(1, policyOf(vault).approver, 'approver');
    const amount = done.u64(1);
    rule(amount <= done.model.available(vault), 'promised tokens were withdrawn');
    rule(done.at(4) === vault.vault.tokenAccount && done.at(5) !== done.at(4), 'a withdrawal went in circles');
    done.model.move(done.at(4), done.at(5), amount);
    vault.withdrawn += amount;
  },
};
