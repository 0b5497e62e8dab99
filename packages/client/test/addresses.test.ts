import { createHash, randomBytes } from 'node:crypto';
import {
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  getBase58Decoder,
  getProgramDerivedAddress,
  isOffCurveAddress,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELD_PRIME, jacobiSymbol } from '../src/accounts/jacobi.ts';
import {
  addressFromBytes,
  addressToBytes,
  derivePageAddress,
  derivePersonalAddress,
  findBalancePagePda,
  findConfigPda,
  findDelegationAddresses,
  findPageAddress,
  findPagePda,
  findPersonalPda,
  findPoolAddress,
  findRedeemedPageAddress,
  findRedeemedPagePda,
  findWhitelistEntryAddress,
  isAddressText,
  isOnCurve,
  MOST_PERSONAL_NUMBER,
  nextPersonalNumber,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  personalKey,
  personalNamed,
  personalNonce,
  readNotedPersonal,
  signatureFromBytes,
} from '../src/index.ts';
import { remembering } from '../src/remembering.ts';
import { randomAddress } from './support.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

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

  it('writes signatures as kit does, leading zeros included', () => {
    const decoder = getBase58Decoder();
    const bytes = fc
      .tuple(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.integer({ min: 0, max: 64 }))
      .map(([signature, zeros]) => signature.fill(0, 0, zeros));
    fc.assert(
      fc.property(bytes, (signature) => {
        expect(signatureFromBytes(signature)).toBe(decoder.decode(signature));
      }),
      { numRuns: 1_000 },
    );
    const largest = new Uint8Array(64).fill(255);
    expect(signatureFromBytes(largest)).toBe(decoder.decode(largest));
    expect(() => signatureFromBytes(new Uint8Array(63))).toThrow('64 bytes');
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

describe('page addresses', () => {
  it('agree with kit for thousands of nonces', async () => {
    const mint = randomAddress();
    for (let tries = 0; tries < 2_000; tries++) {
      const nonce = new Uint8Array(randomBytes(16));
      const [address, bump] = await findBalancePagePda({ mint, nonce });
      expect(derivePageAddress(mint, nonce, PAYOUT_LEDGER_PROGRAM_ADDRESS)).toEqual({ address, bump });
    }
  });

  it('agree with kit for any program and token', async () => {
    for (let tries = 0; tries < 50; tries++) {
      const [mint, programAddress, nonce] = [randomAddress(), randomAddress(), new Uint8Array(randomBytes(16))];
      const seeds = ['balances', addressToBytes(mint), nonce];
      const [address, bump] = await getProgramDerivedAddress({ programAddress, seeds });
      expect(derivePageAddress(mint, nonce, programAddress)).toEqual({ address, bump });
    }
  });
});

/** The first half of a hash of bytes behind this one. */
const half = (first: number, ...parts: readonly Uint8Array[]) =>
  new Uint8Array(
    createHash('sha256')
      .update(Buffer.concat([Uint8Array.of(first), ...parts]))
      .digest(),
  ).slice(0, 16);

describe('addresses of personal accounts', () => {
  const mint = randomAddress();

  it('are made of the token and of a nonce, for any program', async () => {
    for (let tries = 0; tries < 50; tries++) {
      const [programAddress, nonce] = [randomAddress(), new Uint8Array(randomBytes(16))];
      const seeds = ['personal', addressToBytes(mint), nonce];
      const [address] = await getProgramDerivedAddress({ programAddress, seeds });
      expect(derivePersonalAddress(mint, nonce, programAddress)).toBe(address);
    }
  });

  it('follow from page, owner and number, and are all different ones', async () => {
    const named: Address[] = [];
    const [pages, owners] = [
      [randomBytes(16), randomBytes(16)],
      [randomBytes(32), randomBytes(32)],
    ];
    for (const page of pages) {
      for (const owner of owners) {
        const key = personalKey(page, owner);
        expect(key).toEqual(half(9, page, owner));
        for (const number of [1, 2, 0x1_02, MOST_PERSONAL_NUMBER]) {
          const nonce = half(10, key, Uint8Array.of(number & 255, number >> 8));
          const { address } = personalNamed(mint, key, number);
          expect(address).toBe((await findPersonalPda({ mint, nonce }))[0]);
          named.push(address);
        }
      }
    }
    expect(new Set(named).size).toBe(16);
    const [key, programAddress] = [randomBytes(16), randomAddress()];
    const { number, address } = personalNamed(mint, key, 7, { programAddress });
    expect([number, address]).toEqual([7, derivePersonalAddress(mint, personalNonce(key, 7), programAddress)]);
  });

  it('have numbers from 1 on, the first after the last, and another one for each that is tried', () => {
    expect([0, 1, MOST_PERSONAL_NUMBER - 1, MOST_PERSONAL_NUMBER].map((last) => nextPersonalNumber(last))).toEqual([
      ...[1, 2, MOST_PERSONAL_NUMBER, 1],
    ]);
    expect([0, 1, 2].map((further) => nextPersonalNumber(MOST_PERSONAL_NUMBER - 1, further))).toEqual([
      ...[MOST_PERSONAL_NUMBER, 1, 2],
    ]);
    expect([0, 5, 0x8000 + 5, 0xffff].map(readNotedPersonal)).toEqual([
      { number: 0, isThere: false },
      { number: 5, isThere: false },
      { number: 5, isThere: true },
      { number: MOST_PERSONAL_NUMBER, isThere: true },
    ]);
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

it('are remembered up to so many, the newest of them', () => {
  const made: string[] = [];
  const remembered = remembering<string>(2);
  for (const name of ['a', 'b', 'a', 'c', 'b', 'a']) {
    const make = () => {
      made.push(name);
      return `${name}!`;
    };
    expect(remembered(name, make)).toBe(`${name}!`);
  }
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});
