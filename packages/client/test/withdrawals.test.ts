import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addressToBytes, type PayableWithdrawal, withdrawalLeafHash } from '../src/index.ts';
import { randomAddress } from './support.ts';

const wallet = randomAddress();
const blind = Uint8Array.from({ length: 16 }, (_, place) => place);
const withdrawal: PayableWithdrawal = { number: 258n, amount: 2n ** 64n - 1n, wallet };

describe('withdrawalLeafHash', () => {
  it('is SHA-256 of 6, number, amount, wallet and blind', () => {
    const numbers = Buffer.from('0201000000000000ffffffffffffffff', 'hex');
    const bytes = Buffer.concat([Uint8Array.of(6), numbers, addressToBytes(wallet), blind]);
    const expected = createHash('sha256').update(bytes).digest();
    expect(Buffer.from(withdrawalLeafHash(withdrawal, blind))).toEqual(expected);
  });

  it.each([
    ['a number of more than 64 bits', { ...withdrawal, number: 2n ** 64n }, blind],
    ['an amount below zero', { ...withdrawal, amount: -1n }, blind],
    ['a blind of another length', withdrawal, blind.subarray(1)],
  ])('refuses %s', (_, wrong, secret) => {
    expect(() => withdrawalLeafHash(wrong, secret)).toThrow(expect.objectContaining({ code: 'INVALID_LEAF' }));
  });
});
