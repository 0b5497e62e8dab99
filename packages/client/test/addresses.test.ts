import { randomBytes } from 'node:crypto';
import {
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
  isOffCurveAddress,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELD_PRIME, jacobiSymbol } from '../src/accounts/jacobi.ts';
import {
  addressFromBytes,
  addressToBytes,
  balanceSeed,
  deriveBalanceAddress,
  deriveBalanceAddresses,
  findBalancePda,
  findConfigPda,
  findDelegationAddresses,
  findPageAddress,
  findPagePda,
  findPoolAddress,
  findRedeemedPageAddress,
  findRedeemedPagePda,
  findWhitelistEntryAddress,
  isAddressText,
  isOnCurve,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const owners = (count: number) =>
  Array.from({ length: count }, () => ({ recipient: randomAddress(), salt: new Uint8Array(randomBytes(16)) }));

describe('base 58', () => {
  it('agrees with kit both ways, leading zeros included', () => {
    const withZeros = fc
      .tuple(bytes32, fc.integer({ min: 0, max: 32 }))
      .map(([bytes, zeros]) => bytes.fill(0, 0, zeros));
    fc.assert(
      fc.property(withZeros, (bytes) => {
        const text = addressFromBytes(bytes);
        expect(text).toBe(getAddressDecoder().decode(bytes));
        expect(addressToBytes(text)).toEqual(bytes);
      }),
      { numRuns: 1_000 },
    );
    expect(addressToBytes('1'.repeat(32))).toEqual(new Uint8Array(32));
    expect(addressFromBytes(new Uint8Array(32).fill(255))).toBe(
      getAddressDecoder().decode(new Uint8Array(32).fill(255)),
    );
  });

  it('refuses what kit refuses', () => {
    const texts = [
      '',
      '1'.repeat(31),
      '1'.repeat(33),
      'z'.repeat(44),
      'z'.repeat(45),
      `${'1'.repeat(31)}0`,
      `é${'1'.repeat(31)}`,
    ];
    for (const text of texts) {
      expect(isAddressText(text)).toBe(false);
      expect(() => getAddressEncoder().encode(text as Address)).toThrow();
    }
  });
});

describe('curve', () => {
  it('agrees with kit on random and extreme points', () => {
    const small = fc.integer({ min: 0, max: 40 }).map((number) => new Uint8Array(32).fill(number, 0, 1));
    const nearPrime = fc.tuple(fc.integer({ min: 200, max: 255 }), fc.constantFrom(0x7f, 0xff)).map(([first, last]) => {
      const bytes = new Uint8Array(32).fill(255);
      bytes[0] = first;
      bytes[31] = last;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof({ weight: 8, arbitrary: bytes32 }, small, nearPrime), (bytes) => {
        expect(isOnCurve(bytes)).toBe(!isOffCurveAddress(getAddressDecoder().decode(bytes)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('knows squares from non-squares', () => {
    expect(jacobiSymbol(0n)).toBe(0);
    expect(jacobiSymbol(1n)).toBe(1);
    expect(jacobiSymbol(2n)).toBe(-1);
    expect(jacobiSymbol(FIELD_PRIME - 1n)).toBe(1);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: FIELD_PRIME - 1n }), (root) => {
        const square = (root * root) % FIELD_PRIME;
        expect(jacobiSymbol(square)).toBe(1);
        expect(jacobiSymbol((2n * square) % FIELD_PRIME)).toBe(-1);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('balance addresses', () => {
  it('agree with kit on thousands of recipients', async () => {
    const mint = randomAddress();
    const recipients = owners(2_000);
    const derived = await deriveBalanceAddresses({ mint, recipients });
    for (const [place, owner] of recipients.entries()) {
      const [address, bump] = await findBalancePda({ balanceSeed: balanceSeed(mint, owner) });
      expect(derived[place]).toEqual({ address, bump });
    }
  });

  it('agree with kit for any program, one at a time', async () => {
    for (const owner of owners(50)) {
      const [mint, programAddress] = [randomAddress(), randomAddress()];
      const [address, bump] = await getProgramDerivedAddress({
        programAddress,
        seeds: ['balance', balanceSeed(mint, owner)],
      });
      expect(deriveBalanceAddress(mint, owner, programAddress)).toEqual({ address, bump });
    }
  });

  it('let the event loop turn meanwhile, and stop on a signal', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await deriveBalanceAddresses({ mint: randomAddress(), recipients: owners(2_000) });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    const recipients = owners(300);
    const stopped = deriveBalanceAddresses({
      mint: randomAddress(),
      recipients,
      signal: AbortSignal.abort(new Error('stop')),
    });
    await expect(stopped).rejects.toThrow('stop');
  });
});

describe('found addresses', () => {
  it('follow an overridden program', async () => {
    const programAddress = randomAddress();
    const [mint, other] = [randomAddress(), randomAddress()];
    const [pool] = await getProgramDerivedAddress({ programAddress, seeds: ['pool', addressToBytes(mint)] });
    expect(await findPoolAddress(mint, { programAddress })).toBe(pool);
    expect(await findPoolAddress(mint)).not.toBe(pool);
    const ours = await findDelegationAddresses(other);
    const theirs = await findDelegationAddresses(other, { programAddress });
    expect(theirs.buffer).not.toBe(ours.buffer);
    expect(theirs.delegationRecord).toBe(ours.delegationRecord);
  });

  it('name the page of a withdrawal by its number', async () => {
    const mint = randomAddress();
    expect(await findPageAddress(mint, 8_191n)).toBe((await findPagePda({ mint, page: 0 }))[0]);
    expect(await findPageAddress(mint, 8_192n)).toBe((await findPagePda({ mint, page: 1 }))[0]);
  });

  it('name the redeemed page of a liability leaf by its index, apart from the withdrawals’ page', async () => {
    const mint = randomAddress();
    expect(await findRedeemedPageAddress(mint, 8_191)).toBe((await findRedeemedPagePda({ mint, page: 0 }))[0]);
    expect(await findRedeemedPageAddress(mint, 8_192)).toBe((await findRedeemedPagePda({ mint, page: 1 }))[0]);
    expect(await findRedeemedPageAddress(mint, 0)).not.toBe(await findPageAddress(mint, 0n));
  });

  it('name a whitelist entry by its subject', async () => {
    const [programAddress, subject] = [randomAddress(), randomAddress()];
    const seeds = ['whitelist', addressToBytes(subject)];
    const [entry] = await getProgramDerivedAddress({ programAddress, seeds });
    expect(await findWhitelistEntryAddress(subject, { programAddress })).toBe(entry);
  });

  it('have the published program by default', async () => {
    const [config] = await getProgramDerivedAddress({
      programAddress: PAYOUT_LEDGER_PROGRAM_ADDRESS,
      seeds: ['config'],
    });
    expect((await findConfigPda())[0]).toBe(config);
  });
});
