import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountText, shortAddress, tokenText } from '../src/format/amount.ts';
import { durationText, relativeText, utcText } from '../src/format/time.ts';

describe('amounts', () => {
  it.each([
    ['1250500000', 6, '1,250.50'],
    ['30000000276', 6, '30,000.000276'],
    ['0', 6, '0.00'],
    ['7', 9, '0.000000007'],
    ['1234567', 0, '1,234,567'],
    ['5', 1, '0.5'],
    ['18446744073709551615', 6, '18,446,744,073,709.551615'],
  ])('%s base units with %i decimals are written %s', (units, decimals, written) => {
    expect(amountText(units, decimals)).toBe(written);
  });

  it('lose nothing: what is written reads back as the same base units', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 0, max: 12 }), (units, decimals) => {
        const [whole = '', part = ''] = amountText(units, decimals).replaceAll(',', '').split('.');
        expect(part.length).toBeLessThanOrEqual(decimals);
        expect(BigInt(whole + part.padEnd(decimals, '0'))).toBe(units);
      }),
    );
  });

  it('are said in base units while nobody knows the token', () => {
    expect(tokenText('1500', { mint: 'M'.repeat(44), symbol: null, decimals: null })).toBe('1,500 base units');
    expect(tokenText('1500', { mint: 'AbcdefghijkWxyz', symbol: null, decimals: 2 })).toBe('15.00 Abcd…Wxyz');
  });
});

it('shows the ends of an address', () => {
  expect(shortAddress('7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5')).toBe('7Ytt…j2G5');
});

describe('times', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');
  it.each([
    [-400, 'now'],
    [12_000, 'in 12 sec'],
    [-90_000, '1 min ago'],
    [3_600_000 * 5, 'in 5 hr'],
    [-86_400_000 * 3, '3 days ago'],
  ])('%i ms away is said %s', (away, said) => {
    expect(relativeText(now + away, now)).toBe(said);
  });

  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_850, '1.85 s'],
    [42_000, '42.0 s'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [90_000_000, '1 day 1 h'],
    [172_800_000, '2 days'],
  ])('%i ms last %s', (ms, said) => {
    expect(durationText(ms)).toBe(said);
  });

  it('are given in UTC beside the reader’s own', () => {
    expect(utcText(now)).toBe('2026-11-22 12:00:00 UTC');
  });
});
