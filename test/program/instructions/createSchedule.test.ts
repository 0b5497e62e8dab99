import { CalendarUnit } from '@payouts/client';
import { bytesOf, derive } from '@payouts/testing/litesvm/addresses';
import { scheduleOf } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must, START } from '@payouts/testing/litesvm/world';
import type { Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST } from '../fixtures/constants.ts';
import { claimRecipients, createSchedule, deposit, termsOf } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readSchedule } from '../harness/read.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';
import { addSchedule, configure } from './support/scenes.ts';
import { expectWhitelistAsked } from './support/whitelist.ts';

type Scene = ReturnType<typeof createSchedule.prepare>['scene'];
type Terms = ReturnType<typeof termsOf>;

const DAY = 86_400;
const at = (...date: [number, number, number, number]) => BigInt(Date.UTC(...date) / 1_000);

const creation = ({ world, schedule, list }: Scene, change: Partial<Terms> = {}, id = schedule.id) =>
  build.createSchedule(world, scheduleOf(schedule.vault, id), { ...termsOf(list), ...change });

/** The call with another byte in its data. */
function withByte(instruction: Instruction, place: number, byte: number): Instruction {
  return { ...instruction, data: Uint8Array.from(instruction.data ?? []).with(place, byte) };
}
const UNIT = 53;
const MISSED = 75;

describe('create_schedule', () => {
  it('reserves what it promises and creates schedule and batch', () => {
    const { scene, changes, events } = effectIn(createSchedule);
    const { world, schedule, vault, token, list } = scene;
    const rent = { schedule: world.base.minimumBalance(720), batch: world.base.minimumBalance(320) };
    const { bump: batchBump } = derive(LEDGER_PROGRAM, 'batch', bytesOf(schedule.address));
    expect(changes).toEqual({
      payer: { lamports: -rent.schedule - rent.batch },
      vault: { schedules: [0, 1], reserved: [0n, 31_500n], nextId: [0n, 2n] },
      schedule: {
        ...created(4, 720, rent.schedule),
        bump: expect.any(Number),
        batchBump,
        vault: vault.address,
        mint: token.mint,
        root: list.tree.root,
        id: 1n,
        amount: 10_500n,
        every: 3_600,
        nextExecution: FIRST,
        recipients: 5,
        executionsLeft: 3,
        batchTimeout: 30,
        minInterval: 60,
        prepaidRecipients: 5,
      },
      batch: {
        ...created(6, 320, rent.batch),
        bump: batchBump,
        schedule: schedule.address,
        mint: token.mint,
      },
    });
    expect(events).toEqual([
      { __kind: 'ScheduleCreated', schedule: schedule.address, amount: 10_500n, recipients: 5, executions: 3 },
    ]);
  });

  it('promises everything that is available, and not a base unit more', () => {
    const { scene } = createSchedule.prepare();
    const more = creation(scene, { amount: 50_001n, executions: 2 });
    expect(refusal(createSchedule, scene, more)).toBe('InsufficientAvailable');
    const { changes } = effectOf(createSchedule, scene, creation(scene, { amount: 50_000n, executions: 2 }));
    expect(changes.vault).toMatchObject({ reserved: [0n, 100_000n] });
    const next = creation(scene, { amount: 1n, executions: 1 }, 2n);
    expect(refusal(createSchedule, scene, next)).toBe('InsufficientAvailable');
  });

  it('takes ids that grow, with gaps', () => {
    const scene = addSchedule(done(deposit), 7n);
    for (const id of [0n, 1n, 7n]) expect(refusal(createSchedule, scene, creation(scene, {}, id))).toBe('IdNotNew');
    expect(effectOf(createSchedule, scene, creation(scene, {}, 8n)).changes.vault).toMatchObject({ nextId: [8n, 9n] });
    const last = creation(scene, {}, 2n ** 64n - 1n);
    expect(refusal(createSchedule, scene, last)).toBe('Overflow');
    const lastButOne = effectOf(createSchedule, scene, creation(scene, {}, 2n ** 64n - 2n));
    expect(lastButOne.changes.vault).toMatchObject({ nextId: [9n, 2n ** 64n - 1n], schedules: [2, 3] });
  });

  it('takes the greatest list, with a batch of the same size', () => {
    const { scene } = createSchedule.prepare();
    const { changes } = effectOf(createSchedule, scene, creation(scene, { recipients: 1_048_576 }));
    expect(changes.batch).toMatchObject({ size: 320 });
  });

  it('tolerates lamports that somebody has sent ahead', () => {
    const { scene, instruction } = createSchedule.prepare();
    const { base } = scene.world;
    base.fund(scene.schedule.address, 1n);
    base.fund(scene.schedule.batch, 9_000_000n);
    const { changes } = effectOf(createSchedule, scene, instruction);
    expect(changes.payer).toEqual({ lamports: 1n - base.minimumBalance(720) });
    expect(base.account(scene.schedule.batch)?.lamports).toBe(9_000_000n);
  });

  it.each<[string, Partial<Terms>]>([
    ['days', { unit: CalendarUnit.Days, every: 1 }],
    ['weeks', { unit: CalendarUnit.Weeks, every: 2 }],
    ['months on a day', { unit: CalendarUnit.MonthsOnDay, day: 15, every: 1, firstExecution: at(2027, 1, 15, 8) }],
    [
      'months on the 31st, which February’s last day stands for',
      { unit: CalendarUnit.MonthsOnDay, day: 31, every: 1, firstExecution: at(2027, 1, 28, 8) },
    ],
    ['months on the last day', { unit: CalendarUnit.MonthsLastDay, every: 3, firstExecution: at(2028, 1, 29, 8) }],
    [
      'months on the last business day',
      { unit: CalendarUnit.MonthsLastBusinessDay, every: 1_200, firstExecution: at(2027, 0, 29, 8) },
    ],
    ['a hundred years in seconds', { every: 36_525 * DAY }],
    ['the last first time', { firstExecution: 13_601_087_999n }],
    ['a first time a day ago', { firstExecution: START - 86_400n }],
  ])('keeps a rule of %s', (_, change) => {
    const { scene } = createSchedule.prepare();
    effectOf(createSchedule, scene, creation(scene, change));
    const { unit, every, day, nextExecution } = readSchedule(scene.world, scene.schedule);
    const { unit: seconds, ...terms } = termsOf(scene.list);
    expect({ unit, every, day, firstExecution: nextExecution }).toEqual({
      unit: change.unit ?? seconds,
      every: change.every ?? terms.every,
      day: change.day ?? 0,
      firstExecution: change.firstExecution ?? FIRST,
    });
  });

  describe('refuses', () => {
    const { scene } = createSchedule.prepare();
    const month = { unit: CalendarUnit.MonthsOnDay, day: 15, every: 1, firstExecution: at(2027, 1, 15, 8) };
    it.each<[string, Partial<Terms>, string]>([
      ['no recipients', { recipients: 0 }, 'TooManyRecipients'],
      ['more recipients than the config allows', { recipients: 1_048_577 }, 'TooManyRecipients'],
      ['an amount of zero', { amount: 0n }, 'ZeroAmount'],
      ['no executions', { executions: 0 }, 'InvalidSchedule'],
      ['a promise that is no number', { amount: 2n ** 63n, executions: 2 }, 'Overflow'],
      ['a promise that is just a number', { amount: 2n ** 63n - 1n, executions: 2 }, 'InsufficientAvailable'],
      ['an interval a second too short', { every: 59 }, 'IntervalTooShort'],
      ['a timeout a second too short', { batchTimeout: 9 }, 'InvalidBatchTimeout'],
      ['a timeout a second too long', { batchTimeout: 86_401 }, 'InvalidBatchTimeout'],
      ['a rule without a step', { every: 0 }, 'InvalidCalendar'],
      ['a step of more than a hundred years', { every: 36_525 * DAY + 1 }, 'InvalidCalendar'],
      ['more than 1,200 months', { ...month, every: 1_201 }, 'InvalidCalendar'],
      ['a day of the month for seconds', { day: 1 }, 'InvalidCalendar'],
      ['no day for months on a day', { ...month, day: 0 }, 'InvalidCalendar'],
      ['a 32nd', { ...month, day: 32 }, 'InvalidCalendar'],
      ['a day for months on their last', { ...month, unit: CalendarUnit.MonthsLastDay }, 'InvalidCalendar'],
      ['a first execution on another day', { ...month, day: 16 }, 'InvalidCalendar'],
      [
        'a 28th for the 31st of a longer month',
        { ...month, day: 31, firstExecution: at(2027, 2, 28, 8) },
        'InvalidCalendar',
      ],
      [
        'a last day that is none',
        { unit: CalendarUnit.MonthsLastDay, every: 1, firstExecution: at(2028, 1, 28, 8) },
        'InvalidCalendar',
      ],
      [
        'a last business day on a Sunday',
        { unit: CalendarUnit.MonthsLastBusinessDay, every: 1, firstExecution: at(2027, 0, 31, 8) },
        'InvalidCalendar',
      ],
      ['a first execution in 1970’s first second', { firstExecution: 0n }, 'FirstExecutionPast'],
      ['one before', { firstExecution: -1n }, 'FirstExecutionPast'],
      ['one more than a day ago', { firstExecution: START - 86_401n }, 'FirstExecutionPast'],
      ['one in 2401', { firstExecution: 13_601_088_000n }, 'InvalidCalendar'],
    ])('%s', (_, change, error) => {
      expect(refusal(createSchedule, scene, creation(scene, change))).toBe(error);
    });

    it('a unit and a rule for missed windows that there are not', () => {
      expect(refusal(createSchedule, scene, withByte(creation(scene), UNIT, 6))).toBe('InvalidCalendar');
      expect(refusal(createSchedule, scene, withByte(creation(scene), MISSED, 2))).toBe('InvalidSchedule');
    });
  });

  it('keeps the config’s limits, of which the least and the greatest are good', () => {
    const { scene } = createSchedule.prepare();
    const { world } = scene;
    configure(world, { maxRecipients: 5, minInterval: 28 * DAY, minBatchTimeout: 20, maxBatchTimeout: 40 });
    const monthly = { unit: CalendarUnit.MonthsOnDay, day: 15, every: 1, firstExecution: at(2027, 1, 15, 8) };
    const good = { ...monthly, amount: 10n };
    const tryIt = (change: Partial<Terms>) => refusal(createSchedule, scene, creation(scene, { ...good, ...change }));
    expect(tryIt({ recipients: 6 })).toBe('TooManyRecipients');
    expect(tryIt({ batchTimeout: 19 })).toBe('InvalidBatchTimeout');
    expect(tryIt({ batchTimeout: 41 })).toBe('InvalidBatchTimeout');
    expect(tryIt({ unit: CalendarUnit.Weeks, day: 0, every: 3 })).toBe('IntervalTooShort');
    expect(tryIt({ unit: CalendarUnit.Seconds, day: 0, every: 28 * DAY - 1 })).toBe('IntervalTooShort');
    effectOf(createSchedule, scene, creation(scene, { ...good, recipients: 5, batchTimeout: 20 }));
    effectOf(createSchedule, scene, creation(scene, { ...good, batchTimeout: 40 }, 2n));
    const weeks = { unit: CalendarUnit.Weeks, day: 0, every: 4 };
    effectOf(createSchedule, scene, creation(scene, { ...good, ...weeks }, 3n));
  });

  it('asks for the employer’s whitelist entry, if the config does', () => {
    expectWhitelistAsked(createSchedule, 'employer', ({ vault }) => vault.employer);
  });

  it('asks for the mint’s', () => {
    expectWhitelistAsked(createSchedule, 'mint', ({ token }) => token.mint);
  });

  it('refuses in a closed vault', () => {
    const { world, token, vault } = done(deposit);
    must(world.base.send(build.closeVault(vault)));
    const scene = { world, token, vault, schedule: scheduleOf(vault, 1n), list: claimRecipients(token) };
    expect(refusal(createSchedule, scene, creation(scene))).toBe('VaultClosed');
  });
});
