import { MOST_WITHDRAWALS } from '@payouts/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTokens, showTokens } from '../src/payout/amounts.ts';
import { plannedWithdrawal } from '../src/payout/withdrawalPlan.ts';

const amounts = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const decimals = fc.integer({ min: 0, max: 20 });
const balanceOf = (amount: bigint, underWay: number) =>
  ({ amount, withdrawals: new Array(underWay).fill({}), transfers: [] }) as never;
/** A token with balances of which so many withdrawals each are under way. */
const tokenOf = (held: readonly bigint[], underWay = 0) => ({
  mint: 'mint' as never,
  name: 'USDC',
  handle: 'USDC',
  decimals: 6,
  balances: held.map((amount) => balanceOf(amount, underWay)),
});

describe('amounts as people write them', () => {
  it('are read as they are shown, to the last digit', () => {
    fc.assert(
      fc.property(amounts, decimals, (amount, places) => {
        expect(parseTokens(showTokens(amount, places), places)).toBe(amount);
      }),
    );
  });

  it('are exact', () => {
    expect(parseTokens('1,250.50', 6)).toBe(1_250_500_000n);
    expect(parseTokens('0.000001', 6)).toBe(1n);
    expect(parseTokens('18446744073709.551615', 6)).toBe(2n ** 64n - 1n);
    expect(showTokens(1_250_500_000n, 6)).toBe('1,250.50');
    expect(showTokens(7n, 0)).toBe('7');
    expect(showTokens(1n, 9)).toBe('0.000000001');
  });

  it('may have spaces or apostrophes between thousands', () => {
    for (const text of ['1 000', '1\u202f000.00', '1’000', "1'000.0"])
      expect(parseTokens(text, 6)).toBe(1_000_000_000n);
  });

  it.each([
    '1.0000001',
    '1,25.0',
    '1,2500',
    '12,50',
    '.5',
    '1.',
    '-1',
    '1e3',
    '0',
    '0.00',
    '',
    '18446744073709.551616',
  ])('are refused: %j', (text) => {
    expect(() => parseTokens(text, 6)).toThrow();
  });
});

describe('a withdrawal over several balances', () => {
  it('takes exactly what was asked for, from none more than it has, and from one if one has enough', () => {
    const held = fc.array(fc.bigInt({ min: 0n, max: 1_000n }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(held, fc.bigInt({ min: 1n, max: 6_000n }), (each, amount) => {
        const sum = each.reduce((one, other) => one + other, 0n);
        if (amount > sum) {
          expect(() => plannedWithdrawal(tokenOf(each), amount)).toThrow();
          return;
        }
        const parts = plannedWithdrawal(tokenOf(each), amount);
        expect(parts.reduce((all, part) => all + part.amount, 0n)).toBe(amount);
        for (const part of parts) {
          expect(part.amount).toBeGreaterThan(0n);
          expect(part.amount).toBeLessThanOrEqual(part.balance.amount);
        }
        expect(new Set(parts.map(({ balance }) => balance)).size).toBe(parts.length);
        if (each.some((one) => one >= amount)) expect(parts).toHaveLength(1);
      }),
    );
  });

  it('takes everything that is free', () => {
    expect(plannedWithdrawal(tokenOf([5n, 0n, 7n]), 'all').map(({ amount }) => amount)).toEqual([5n, 7n]);
    expect(() => plannedWithdrawal(tokenOf([0n]), 'all')).toThrow('nothing to take out');
  });

  it('takes from a balance of which withdrawals are under way, as long as it has a place for one more', () => {
    expect(plannedWithdrawal(tokenOf([5n], MOST_WITHDRAWALS - 1), 5n)).toHaveLength(1);
    expect(() => plannedWithdrawal(tokenOf([5n], 1), 6n)).toThrow('you can take out');
    expect(() => plannedWithdrawal(tokenOf([5n], MOST_WITHDRAWALS), 'all')).toThrow('under way already.');
  });
});
