import { SchedulePhase, ScheduleStatus } from '@payouts/client';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import {
  Failure,
  holdRecipient,
  type OwnSchedule,
  releaseRecipient,
  statusChange,
  statusChangesOf,
} from '../src/index.ts';

let own: OwnSchedule;
let people: Address[];

/** A schedule of three windows of 1,000 USDC, which pays three entries: two of them somebody's. */
beforeAll(async () => {
  const [employer, ...others] = await Promise.all(Array.from({ length: 5 }, () => generateKeyPairSigner()));
  const [vault, address, ...rest] = others.map((each) => each.address) as [Address, Address, ...Address[]];
  people = rest;
  const schedule = {
    status: ScheduleStatus.Active,
    phase: SchedulePhase.Idle,
    root: new Uint8Array(32),
    window: 2n,
    executionsLeft: 3,
    kept: 0,
    keptReserved: 0,
    amount: 1_000_000_000n,
    held: Array.from({ length: 32 }, () => 0),
    heldCount: 0,
    nextExecution: 1_800_000_000n,
    opensFrom: 0n,
  };
  own = {
    employer,
    token: { name: 'USDC', decimals: 6 },
    vault: { address: vault },
    address,
    schedule,
    timeText: (at: number) => `at ${at}`,
  } as never;
});

const listed = (root = new Uint8Array(32)) => ({
  root,
  recipients: [0, 0, 1].map((person, index) => ({ recipient: people[person] as Address, index, amount: 250_000_000n })),
});
const changed = (more: object): OwnSchedule => ({ ...own, schedule: { ...own.schedule, ...more } });

it('offers what can be done to a schedule in its status, and says what it will do', () => {
  expect(statusChangesOf(own.schedule)).toEqual(['pause', 'cancel']);
  expect(statusChange('cancel', own).effects).toEqual([
    'Ends it for good: 3 windows are not paid, and 3,000.00 USDC are available again.',
  ]);
  const paused = changed({ status: ScheduleStatus.Paused, phase: SchedulePhase.Open });
  expect(statusChangesOf(paused.schedule)).toEqual(['resume', 'cancel']);
  expect(statusChange('resume', paused).effects[0]).toContain('Goes on with window 2, due at 1800000000000');
  expect(statusChange('cancel', paused).effects[0]).toContain('2 windows are not paid, and 2,000.00 USDC');
  const endless = changed({ executionsLeft: 20, kept: 4, keptReserved: 2 });
  expect(statusChange('cancel', endless).effects).toEqual([
    'Ends it for good: no further window is paid, and 2,000.00 USDC are available again.',
  ]);
  expect(() => statusChange('pause', paused)).toThrow(Failure);
  expect(statusChangesOf(changed({ status: ScheduleStatus.Completed }).schedule)).toEqual([]);
});

it('holds all entries of a person back, and releases those that are held', () => {
  const [recipient, other] = people as [Address, Address];
  const hold = holdRecipient(own, { recipient, list: listed() });
  expect(hold.plan).toMatchObject({ indexes: [0, 1], amount: 500_000_000n });
  expect(hold.steps.flat(2)).toHaveLength(2);
  expect(hold.effects[1]).toBe(
    '500.00 USDC a window, which go back to your vault instead, from window 2 on, due at 1800000000000.',
  );
  const half = changed({ held: [1, ...own.schedule.held.slice(1)], heldCount: 1 });
  expect(releaseRecipient(half, { recipient, list: listed() }).plan).toMatchObject({ indexes: [1] });
  expect(holdRecipient(half, { recipient, list: listed() }).plan).toMatchObject({ indexes: [0] });
  expect(() => releaseRecipient(half, { recipient: other, list: listed() })).toThrow('is not held back');
  expect(() => holdRecipient(changed({ heldCount: 31 }), { recipient: other, list: listed() })).not.toThrow();
  expect(() => holdRecipient(changed({ heldCount: 32 }), { recipient, list: listed() })).toThrow('32 at most');
  // The same place of another list may be somebody else's.
  expect(() => holdRecipient(own, { recipient, list: listed(new Uint8Array(32).fill(1)) })).toThrow(Failure);
  expect(() => holdRecipient(own, { recipient: own.address, list: listed() })).toThrow('is not in the current list');
});
