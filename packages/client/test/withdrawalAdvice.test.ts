import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import { adviceOn, type SeenWithdrawal } from '../src/recipients/withdrawalAdvice.ts';

const DRAW = 'A time can be drawn.';
const [OWN, FRESH] = ['own address', 'fresh address'] as Address[];
/** 1,000 of 2,501 tokens to a fresh wallet, at a time drawn within a day. */
const QUIET: SeenWithdrawal = {
  to: FRESH as Address,
  owner: OWN as Address,
  amount: 1_000_000_000n,
  held: 2_501_000_000n,
  decimals: 6,
  within: 86_400,
};

it('says nothing of a withdrawal that looks like others', () => {
  expect(adviceOn(QUIET, DRAW)).toEqual([]);
});

it.each<[string, Partial<SeenWithdrawal>, RegExp]>([
  ['to the address that employers know', { to: OWN as Address }, /the address that your employer pays/],
  ['of everything', { amount: QUIET.held }, /all that you hold/],
  ['of an odd amount', { amount: 1_234_560_000n }, /Few others take out the same amount/],
  ['at once', { within: undefined }, /leaves at once/],
])('says what one %s tells, and only that', (_, change, said) => {
  const advice = adviceOn({ ...QUIET, ...change }, DRAW);
  expect(advice).toHaveLength(1);
  expect(advice[0]).toMatch(said);
});

it('says all that holds of the withdrawal', () => {
  expect(adviceOn({ ...QUIET, to: OWN as Address, amount: QUIET.held, within: undefined }, DRAW)).toHaveLength(4);
});

it('says how often all at once is found', () => {
  const advice = adviceOn({ ...QUIET, amount: QUIET.held, within: undefined }, DRAW);
  expect(advice[1]).toMatch(/right 88 times in 100/);
});
