import { type RecipientBalance, stepOf, type WithdrawalUnderWay, watchedFrom } from '@payouts/client';
import { type Address, address } from '@solana/kit';
import { expect, it } from 'vitest';
import { Failure } from '../src/payout/failure.ts';
import { chosenWithdrawal, type NamedOptions, namedTransfers } from '../src/payout/underWay.ts';

const [ONE, OTHER] = [
  address('7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5'),
  address('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'),
] as const;
const MINT = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');

const underWay = (id: number, state: WithdrawalUnderWay['state']): WithdrawalUnderWay => ({
  id,
  number: state === 'waiting' ? null : BigInt(id + 100),
  amount: 5n,
  wallet: MINT,
  state,
  releaseAt: null,
  inRound: false,
});

const balance = (of: Address, ...withdrawals: readonly WithdrawalUnderWay[]): RecipientBalance => ({
  address: of,
  mint: MINT,
  symbol: 'USDC',
  decimals: 6,
  place: { page: MINT, slot: 3 },
  salt: '00'.repeat(16),
  delivery: 'balance',
  personal: MINT,
  personalNumber: 1,
  personalKey: '00'.repeat(16),
  amount: 10n,
  withdrawals,
  transfers: [],
  standing: [],
  order: null,
  recovery: null,
  schedules: [],
});

const MISSING = new Failure('missing', 'None.');

const chosen = (balances: readonly RecipientBalance[], options: NamedOptions = {}) => {
  try {
    const isMeant = ({ state }: WithdrawalUnderWay) => state === 'waiting';
    const { balance: of, withdrawal } = chosenWithdrawal(balances, options, { isMeant, missing: MISSING });
    return `${withdrawal.id} of ${of.address}`;
  } catch (error) {
    return error instanceof Failure ? `${error.code}: ${error.message}` : error;
  }
};

it('takes the only withdrawal that is meant, or the one that is named', () => {
  const some = [balance(ONE, underWay(1, 'requested'), underWay(2, 'waiting')), balance(OTHER)];
  expect(chosen(some)).toBe(`2 of ${ONE}`);
  expect(chosen(some, { withdrawal: 2 })).toBe(`2 of ${ONE}`);
  expect(chosen(some, { withdrawal: 1 })).toBe('missing: None.');
  expect(chosen(some, { balance: OTHER })).toBe('missing: None.');
  expect(chosen([])).toBe('missing: None.');
});

it('names what there is to choose from where several are meant', () => {
  const several = [balance(ONE, underWay(2, 'waiting'), underWay(4, 'waiting'))];
  expect(chosen(several)).toBe(
    'withdrawal-unnamed: Several withdrawals are under way: name one with --withdrawal (2, 4).',
  );
  expect(chosen(several, { withdrawal: 4 })).toBe(`4 of ${ONE}`);
  // Two balances count for themselves, so their ids are often the same.
  const same = [balance(ONE, underWay(1, 'waiting')), balance(OTHER, underWay(1, 'waiting'))];
  expect(chosen(same, { withdrawal: 1 })).toBe(
    `withdrawal-unnamed: Several withdrawals are under way: name one with --withdrawal and --balance (1 of ${ONE}, 1 of ${OTHER}).`,
  );
  expect(chosen(same, { withdrawal: 1, balance: OTHER })).toBe(`1 of ${OTHER}`);
});

it('names the transfers that wait, of all balances or one, by their ids', () => {
  const transfer = (id: number) => ({ id, amount: 5n, paymentCode: 'pay_' });
  const some = [
    { ...balance(ONE, underWay(1, 'waiting')), transfers: [transfer(2), transfer(3)] },
    { ...balance(OTHER), transfers: [transfer(2)] },
  ];
  const named = (options: NamedOptions = {}) =>
    namedTransfers(some, options).map(({ transfer: { id }, balance: { address: of } }) => `${id} of ${of}`);
  expect(named()).toEqual([`2 of ${ONE}`, `3 of ${ONE}`, `2 of ${OTHER}`]);
  expect(named({ withdrawal: 2 })).toEqual([`2 of ${ONE}`, `2 of ${OTHER}`]);
  expect(named({ withdrawal: 2, balance: OTHER })).toEqual([`2 of ${OTHER}`]);
  expect(named({ withdrawal: 1 })).toEqual([]);
});

it('follows what was asked for now, not what waits beside it', () => {
  const before = [balance(ONE, underWay(1, 'waiting'), underWay(2, 'issued')), balance(OTHER)];
  const watched = watchedFrom(before);
  const step = (...balances: readonly RecipientBalance[]) => stepOf({ balances }, watched);
  const old = [underWay(1, 'waiting'), underWay(2, 'issued')];
  expect(step(balance(ONE, ...old, underWay(3, 'requested')), balance(OTHER, underWay(1, 'paid')))).toBe('asked for');
  expect(step(balance(ONE, ...old, underWay(3, 'recorded')), balance(OTHER, underWay(1, 'paid')))).toBe('recorded');
  expect(step(balance(ONE, ...old, underWay(3, 'paid')), balance(OTHER))).toBe('paid');
  expect(step(balance(ONE, ...old), balance(OTHER))).toBe('paid');
  // One that waited has got its number; one that was paid is over, and its id is another's.
  expect(step(balance(ONE, underWay(1, 'requested'), underWay(2, 'issued')), balance(OTHER))).toBe('paid');
  expect(step(balance(ONE, { ...underWay(2, 'requested'), number: 200n }), balance(OTHER))).toBe('asked for');
});
