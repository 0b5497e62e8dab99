import { BLANK_SCHEDULE } from '@payouts/testing/blankAccounts';
import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approveScheduleInstructions,
  getApproveScheduleInstructionDataDecoder,
  isProposed,
  NO_DAILY_LIMIT,
  needsApproval,
  PROPOSAL_TTL,
  prepareList,
  proposalOf,
  type Schedule,
  ScheduleStatus,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

const present = prepareList([{ recipient: randomAddress(), amount: 7n }]);
const next = prepareList([
  { recipient: randomAddress(), amount: 3n },
  { recipient: randomAddress(), amount: 4n },
]);

/** A schedule over the present list. */
const schedule = (change: Partial<Schedule> = {}): Schedule => ({
  ...BLANK_SCHEDULE,
  root: present.root,
  amount: 7n,
  recipients: 1,
  executionsLeft: 4,
  nextExecution: 900n,
  ...change,
});
const change = { proposedAt: 100n, proposedRoot: next.root, proposedAmount: 7n, proposedRecipients: 2 };

describe('approval', () => {
  it('is needed above the limit, to the base unit, where there is an approver', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 50n), fc.bigInt(0n, 50n), fc.boolean(), (approvalLimit, amount, has) => {
        const vault = { approval: has ? 1 : 0, approvalLimit, dailyLimit: NO_DAILY_LIMIT, spentDay: 0, spentAlone: 0n };
        expect(needsApproval(vault, { amount, sum: amount }, 0n)).toBe(has && amount > approvalLimit);
      }),
    );
  });

  it('is needed above what is left of the day, which ends at midnight UTC', () => {
    const vault = { approval: 1, approvalLimit: 50n, dailyLimit: 100n, spentDay: 2, spentAlone: 60n };
    const needed = (sum: bigint, now: bigint) => needsApproval(vault, { amount: 10n, sum }, now);
    expect([needed(40n, 2n * 86_400n), needed(41n, 3n * 86_400n - 1n)]).toEqual([false, true]);
    expect([needed(100n, 3n * 86_400n), needed(101n, 3n * 86_400n)]).toEqual([false, true]);
  });

  it('tells what waits as it will stand', () => {
    expect(proposalOf(schedule())).toBeUndefined();
    expect(proposalOf(schedule({ proposedAt: 100n, status: ScheduleStatus.Awaiting }))).toMatchObject({
      kind: 'schedule',
      isNewList: true,
      amount: 7n,
      executions: 4,
      expiresAt: 100n + PROPOSAL_TTL,
    });
    expect(proposalOf(schedule({ ...change, proposedExecutions: 3 }))).toMatchObject({
      kind: 'change',
      isNewList: true,
      root: next.root,
      recipients: 2,
      executions: 7,
      executionsAdded: 3,
    });
    const more = proposalOf(schedule({ proposedAt: 100n, proposedExecutions: 3 }));
    expect(more).toMatchObject({ isNewList: false, root: present.root, recipients: 1, executions: 7 });
  });

  it('knows the list that waits from one of the same amount', () => {
    const proposal = proposalOf(schedule(change));
    if (proposal === undefined) throw new Error('nothing waits');
    expect([next, present].map((list) => isProposed(proposal, list))).toEqual([true, false]);
  });

  it('names all that was seen, and nothing where nothing waits', async () => {
    const approver = await generateKeyPairSigner();
    const address = randomAddress();
    const held = [3, 0, 1, ...new Array<number>(29).fill(0)];
    const holds = { held, heldCount: 1, proposedHeldCount: 2 };
    const seen = schedule({ ...change, ...holds, vault: randomAddress(), every: 2, batchTimeout: 60, window: 5n });
    const [instruction] = await approveScheduleInstructions({ approver, address, schedule: seen });
    expect(getApproveScheduleInstructionDataDecoder().decode(new Uint8Array(instruction?.data ?? []))).toMatchObject({
      root: next.root,
      amount: 7n,
      recipients: 2,
      windows: 9n,
      every: 2,
      nextExecution: 900n,
      batchTimeout: 60,
      held: [0, 1],
    });
    await expect(approveScheduleInstructions({ approver, address, schedule: schedule() })).rejects.toThrow(RangeError);
  });
});
