import {
  AccountRole,
  type Address,
  type Blockhash,
  generateKeyPairSigner,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
  SolanaError,
} from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { buildTransaction } from '../src/transactions/buildTransaction.ts';
import { refusal } from '../src/transactions/transactionFailed.ts';

const PROGRAM = '11111111111111111111111111111111' as Address;
const lifetime = { blockhash: '11111111111111111111111111111111' as Blockhash, lastValidBlockHeight: 1n };

describe('an account that would keep too few lamports for its rent', async () => {
  const [feePayer, other] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  const accounts = [{ address: other.address, role: AccountRole.WRITABLE }];
  const instructions = [{ programAddress: PROGRAM, accounts, data: new Uint8Array() }];
  const { wire } = await buildTransaction({ feePayer, instructions, lifetime });
  const told = (place: number) => ({ InsufficientFundsForRent: { account_index: BigInt(place) } });
  const thrown = (accountIndex: number) =>
    new SolanaError(SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT, { accountIndex });

  it('is the key that pays where it is the first one', () => {
    for (const said of [told(0), thrown(0)]) {
      expect(refusal([], said, { wire })).toMatchObject({ code: 'sol-missing' });
    }
  });

  it('is named otherwise, with what it holds where that is known', () => {
    const lamports = [5n, 1_336_320n, 1n];
    const { code, message } = refusal([], told(1), { wire, lamports });
    expect(code).toBe('rent-missing');
    expect(message).toContain(`The account ${other.address}, which holds 1336320 lamports, would keep too few`);
    for (const said of [told(1), thrown(1)]) {
      expect(refusal([], said, { wire }).message).toContain(`The account ${other.address} would keep too few`);
    }
    expect(refusal([], told(9), { wire }).message).toContain('place 9');
  });

  it('is not looked for in another error', () => {
    for (const said of [{ InstructionError: [0, 'InvalidArgument'] }, 'AccountNotFound', null]) {
      expect(refusal([], said, { wire }).code).not.toBe('rent-missing');
    }
  });
});
