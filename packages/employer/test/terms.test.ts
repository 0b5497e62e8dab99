import { checkCalendar, nextExecution } from '@payouts/client';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../src/failure.ts';
import { termsOf } from '../src/terms.ts';

/** 2026-11-22T09:00:05Z. */
const NOW = 1_795_338_005;
const at = (text: string) => BigInt(Date.parse(text) / 1_000);
const terms = (every: string, more: { on?: string; first?: string } = {}) => termsOf({ every, ...more }, NOW);

it('takes intervals as people write them', () => {
  expect(terms('90s')).toEqual({ calendar: { unit: 'seconds', every: 90 }, firstExecution: BigInt(NOW) });
  expect(terms('6h').calendar).toEqual({ unit: 'seconds', every: 21_600 });
  expect(terms('2w', { first: '2026-12-01T14:00' })).toEqual({
    calendar: { unit: 'weeks', every: 2 },
    firstExecution: at('2026-12-01T14:00Z'),
  });
  expect(terms('1mo', { on: '25' })).toEqual({
    calendar: { unit: 'months-on-day', every: 1, day: 25 },
    firstExecution: at('2026-11-25T00:00Z'),
  });
  expect(terms('3mo', { on: 'last-business-day' }).firstExecution).toBe(at('2026-11-30T00:00Z'));
  expect(terms('1mo', { on: '22' }).firstExecution).toBe(BigInt(NOW));
  expect(terms('1mo', { on: '21' }).firstExecution).toBe(at('2026-12-21T00:00Z'));
  expect(terms('1mo', { first: '2026-12-31' }).calendar).toEqual({ unit: 'months-on-day', every: 1, day: 31 });
});

it('refuses what it can’t understand, and a first day that is not the rule’s', () => {
  for (const every of ['', '1', '0d', '1y', '-1d', '1.5h']) expect(() => terms(every)).toThrow(Failure);
  expect(() => terms('1d', { on: '3' })).toThrow(/goes with an interval of months/);
  expect(() => terms('1mo', { on: '32' })).toThrow(/none of a month/);
  expect(() => terms('1mo', { on: '5', first: '2026-12-06' })).toThrow(/not on the rule's day/);
  expect(() => terms('1d', { first: 'tomorrow' })).toThrow(/neither now nor/);
  for (const first of ['2026-13-01', '2026-11-31', '2027-02-29', '2026-12-31T24:00']) {
    expect(() => terms('1mo', { first })).toThrow(/neither now nor/);
  }
});

it('always gives a rule that the ledger takes, from now on', () => {
  const days = fc.oneof(fc.integer({ min: 1, max: 31 }).map(String), fc.constantFrom('last', 'last-business-day'));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 24 }),
      days,
      fc.integer({ min: 1_700_000_000, max: 4_000_000_000 }),
      (every, on, now) => {
        const { calendar, firstExecution } = termsOf({ every: `${every}mo`, on }, now + 1);
        checkCalendar(calendar, firstExecution);
        expect(firstExecution).toBeGreaterThan(BigInt(now));
        expect(firstExecution - BigInt(now)).toBeLessThan(63n * 86_400n);
        expect(nextExecution(calendar, firstExecution)).toBeGreaterThan(firstExecution);
      },
    ),
  );
});
