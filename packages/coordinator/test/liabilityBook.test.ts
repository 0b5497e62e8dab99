import { createHmac, randomBytes } from 'node:crypto';
import { addressToBytes, getBalanceEncoder, LiabilityTree, liabilityLeafHash } from '@payouts/client';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Blinds, ENTRY_BYTES, type LiabilityBalance } from '../src/domain/liability.ts';
import { type ObservedBalance, observedBalance } from '../src/liabilities/balanceAccount.ts';
import { CHUNK_LEAVES, LiabilityBook } from '../src/liabilities/book.ts';
import { randomAddress } from './support/promised.ts';

const mint = randomAddress();
const key = randomBytes(32);
const blinds = new Blinds(key, mint);

const balanceOf = (amount: bigint, pending: readonly [bigint, bigint] = [0n, 0n]): LiabilityBalance => ({
  balance: randomAddress(),
  recipient: randomAddress(),
  amount,
  pendingNumber: pending[0],
  pendingAmount: pending[1],
});

/** The book's tree built anew from its stored chunks. */
function reloaded(book: LiabilityBook): LiabilityBook {
  const copy = new LiabilityBook(blinds);
  for (let chunk = 0; chunk * CHUNK_LEAVES < book.tree.leafCount; chunk++) copy.load(book.chunk(chunk));
  return copy;
}

describe('blinds', () => {
  it('are HMAC-SHA256 of mint, index and version, cut to 16 bytes', () => {
    const place = Buffer.alloc(12);
    place.writeUInt32LE(70_001);
    place.writeBigUInt64LE(2n ** 40n, 4);
    const own = createHmac('sha256', key).update('liability-blinds').digest();
    const digest = createHmac('sha256', own).update(addressToBytes(mint)).update(place).digest();
    expect(Buffer.from(blinds.of(70_001, 2n ** 40n))).toEqual(digest.subarray(0, 16));
  });

  it('differ by place, version, token and key', () => {
    const all = [
      blinds.of(1, 1n),
      blinds.of(2, 1n),
      blinds.of(1, 2n),
      new Blinds(key, randomAddress()).of(1, 1n),
      new Blinds(randomBytes(32), mint).of(1, 1n),
    ];
    expect(new Set(all.map((blind) => Buffer.from(blind).toString('hex'))).size).toBe(all.length);
  });
});

describe('the liability book', () => {
  it('hashes what a leaf shows with its blind, and changes both with the content alone', () => {
    const book = new LiabilityBook(blinds);
    const balance = balanceOf(5n, [7n, 3n]);
    book.setBalance(balance, 4n);
    const leaf = book.leafOf(balance.balance);
    expect(leaf).toEqual({
      kind: 'balance',
      index: 0,
      recipient: balance.recipient,
      amount: 5n,
      pendingNumber: 7n,
      pendingAmount: 3n,
      blind: blinds.of(0, 4n),
    });
    const { root } = book.tree;
    expect(leaf && Buffer.from(liabilityLeafHash(leaf))).toEqual(Buffer.from(root));
    book.setBalance(balance, 5n);
    expect(book.tree.root).toEqual(root);
    book.setBalance({ ...balance, amount: 6n }, 5n);
    expect(book.leafOf(balance.balance)).toMatchObject({ amount: 6n, blind: blinds.of(0, 5n) });
    expect(book.tree.root).not.toEqual(root);
  });

  it('gives the place of a window that is over to the next leaf, and moves nobody', () => {
    const book = new LiabilityBook(blinds);
    const [first, second, third] = [balanceOf(1n), balanceOf(2n), balanceOf(3n)];
    const schedule = randomAddress();
    book.setBalance(first, 1n);
    book.setWindow({ schedule, window: 3n, paid: 9n }, 1n);
    book.setBalance(second, 1n);
    expect(book.leafOf(schedule)).toMatchObject({ kind: 'window', index: 1, window: 3n, paid: 9n });
    book.removeWindow(schedule, 2n);
    expect(book.leafOf(schedule)).toBeUndefined();
    expect(book.tree.leafCount).toBe(3);
    book.setBalance(third, 3n);
    expect([first, second, third].map(({ balance }) => book.leafOf(balance)?.index)).toEqual([0, 2, 1]);
    expect(book.balancesTotal).toBe(6n);
  });

  it('tells which chunks are to be stored, once', () => {
    const book = new LiabilityBook(blinds);
    const balances = Array.from({ length: 2 * CHUNK_LEAVES + 1 }, () => balanceOf(1n));
    for (const balance of balances) book.setBalance(balance, 1n);
    expect(book.takeChangedChunks()).toEqual([0, 1, 2].map((chunk) => ({ chunk, who: true })));
    expect(book.takeChangedChunks()).toEqual([]);
    book.setBalance({ ...(balances[CHUNK_LEAVES] as LiabilityBalance), amount: 2n }, 2n);
    book.markChanged([2, 99]);
    expect(book.takeChangedChunks()).toEqual([
      { chunk: 1, who: false },
      { chunk: 2, who: true },
    ]);
    expect(book.chunk(2)).toHaveLength(ENTRY_BYTES);
  });

  it('keeps its sums and its tree through any changes, and is the same when it is loaded again', () => {
    const step = fc.record({
      kind: fc.constantFrom('balance', 'balance', 'balance', 'open', 'close'),
      who: fc.nat(11),
      amount: fc.bigInt({ min: 0n, max: 10n }),
      pending: fc.bigInt({ min: 0n, max: 3n }),
    });
    const people = Array.from({ length: 12 }, () => balanceOf(0n));
    const schedules = Array.from({ length: 12 }, randomAddress);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const book = new LiabilityBook(blinds);
        const balances = new Map<Address, LiabilityBalance>();
        const places = new Map<Address, number>();
        const windows = new Set<Address>();
        for (const [at, { kind, who, amount, pending }] of steps.entries()) {
          const version = BigInt(at + 1);
          const schedule = schedules[who] as Address;
          if (kind === 'balance') {
            const seen = {
              ...(people[who] as LiabilityBalance),
              amount,
              pendingNumber: pending,
              pendingAmount: pending,
            };
            book.setBalance(seen, version);
            balances.set(seen.balance, seen);
          } else if (kind === 'open') {
            book.setWindow({ schedule, window: amount, paid: pending }, version);
            windows.add(schedule);
          } else {
            book.removeWindow(schedule, version);
            windows.delete(schedule);
          }
          for (const { balance } of balances.values()) {
            const index = book.leafOf(balance)?.index;
            expect(index).toBe(places.get(balance) ?? index);
            places.set(balance, index as number);
          }
        }
        const total = [...balances.values()].reduce((sum, { amount }) => sum + amount, 0n);
        const underWay = [...balances.values()].filter(({ pendingNumber }) => pendingNumber > 0n);
        const copy = reloaded(book);
        for (const each of [book, copy]) {
          expect(each.balancesTotal).toBe(total);
          expect([...each.pending].map(({ balance }) => balance).sort()).toEqual(
            underWay.map(({ balance }) => balance).sort(),
          );
          expect([...each.windows.keys()].sort()).toEqual([...windows].sort());
          expect([...each.balances()].sort()).toEqual([...balances.keys()].sort());
        }
        expect(Buffer.from(copy.tree.root)).toEqual(Buffer.from(book.tree.root));
        expect(copy.takeChangedChunks()).toEqual([]);
        const anew = new LiabilityTree();
        const leaves = [...balances.keys(), ...windows].map((address) => book.leafOf(address));
        expect(new Set(leaves.map((leaf) => leaf?.index)).size).toBe(leaves.length);
        for (let index = 0; index < book.tree.leafCount; index++) anew.push(book.tree.leaf(index));
        for (const leaf of leaves) if (leaf !== undefined) anew.set(leaf.index, liabilityLeafHash(leaf));
        expect(Buffer.from(anew.root)).toEqual(Buffer.from(book.tree.root));
      }),
      { numRuns: 150 },
    );
  });
});

describe("a balance's account", () => {
  it('is read as the generated client reads it', () => {
    const program = randomAddress();
    const pendingWallet = randomAddress();
    const balance = balanceOf(2n ** 63n, [11n, 2n ** 40n]);
    const data = new Uint8Array(
      getBalanceEncoder().encode({
        bump: 254,
        attention: 1,
        ...balance,
        mint,
        pendingWallet,
        dueAt: 1_800_000_000n,
        orderDelayMin: 6,
        orderDelayMax: 7,
        deliver: 4n,
        orderThreshold: 5n,
        orderWallet: randomAddress(),
        orderPart: 3n,
        salt: new Uint8Array(16),
      }),
    );
    const account = { address: balance.balance, owner: program, lamports: 0n, data };
    const dueAt = 1_800_000_000n;
    const seen = observedBalance(account, program);
    for (const [name, value] of Object.entries({ ...balance, mint, pendingWallet, dueAt, delays: undefined })) {
      expect([name, seen?.[name as keyof ObservedBalance]]).toEqual([name, value]);
    }
    expect(observedBalance(account, randomAddress())).toBeUndefined();
    expect(observedBalance(null, program)).toBeUndefined();
  });
});
