import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { addressToBytes, liabilityLeafHash, MerkleTree } from '@payouts/client';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pending } from '../src/domain/liability.ts';
import { Blinds, ENTRY_BYTES, type LiabilityBalance, NOBODY } from '../src/domain/liability.ts';
import { PAGE_PLACES } from '../src/domain/places.ts';
import { CHUNK_LEAVES, LiabilityBook } from '../src/liabilities/book.ts';
import { randomAddress } from './support/promised.ts';

const mint = randomAddress();
const key = randomBytes(32);
const blinds = new Blinds(key, mint);

const balanceOf = (amount: bigint): LiabilityBalance => ({ owner: randomBytes(32), amount });
const withdrawal = (number: bigint, { owner }: LiabilityBalance, amount = 3n): Pending => ({
  ...{ number, owner, amount },
  wallet: randomAddress(),
});
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** A book with room for windows and withdrawals on a page, that before the balances' by default. */
function bookWithRoom(page = 0): LiabilityBook {
  const book = new LiabilityBook(blinds);
  book.addRoom(page);
  return book;
}

/** The book's tree built anew from its stored chunks. */
function reloaded(book: LiabilityBook): LiabilityBook {
  const copy = new LiabilityBook(blinds);
  for (let chunk = 0; chunk * CHUNK_LEAVES < book.tree.leafCount; chunk++) copy.load(book.chunk(chunk));
  return copy;
}

describe('blinds', () => {
  it('are AES-256 of version and index, with a key of the token’s own', () => {
    const own = createHmac('sha256', key).update('liability-blinds').update(addressToBytes(mint)).digest();
    for (const [index, version] of [
      [70_001, 2n ** 40n],
      [70_000, 2n ** 40n],
      [70_000, 3n],
      [255, 3n],
      [256, 3n],
      [2 ** 32 - 1, 2n ** 64n - 1n],
    ] as const) {
      const block = Buffer.alloc(16);
      block.writeBigUInt64BE(version);
      block.writeBigUInt64BE(BigInt(index), 8);
      const cipher = createCipheriv('aes-256-ecb', own, null);
      expect(Buffer.from(blinds.of(index, version))).toEqual(cipher.update(block));
    }
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
    const balance = balanceOf(5n);
    book.setBalance(300, balance, 4n);
    expect(book.tree.leafCount).toBe(2 * PAGE_PLACES);
    const [leaf, ...others] = book.leavesOf(balance.owner);
    expect(others).toEqual([]);
    expect(leaf).toEqual({
      kind: 'balance',
      index: 300,
      owner: Uint8Array.from(balance.owner),
      amount: 5n,
      number: 0n,
      blind: blinds.of(300, 4n),
    });
    expect(leaf && hex(liabilityLeafHash(leaf))).toBe(hex(book.tree.nodeAt(0, 300)));
    const { root } = book.tree;
    book.setBalance(300, balance, 5n);
    expect(book.tree.root).toEqual(root);
    book.setBalance(300, { ...balance, amount: 6n }, 5n);
    expect(book.leavesOf(balance.owner)).toMatchObject([{ amount: 6n, blind: blinds.of(300, 5n) }]);
    expect(book.tree.root).not.toEqual(root);
  });

  it('adds a payment to what a place has, and gives a place to one owner for good', () => {
    const book = new LiabilityBook(blinds);
    const [one, other] = [balanceOf(5n), balanceOf(7n)];
    book.addPayment(256, one, 1n);
    book.addPayment(256, one, 1n);
    expect(book.leavesOf(one.owner)).toMatchObject([{ index: 256, amount: 10n }]);
    // The layer has lost the page; or a list has a wrong place, and what it pays is read.
    const refused = (code: string) => expect.objectContaining({ code });
    expect(() => book.setBalance(256, other, 2n)).toThrow(refused('layer-state-lost'));
    expect(() => book.addPayment(256, other, 2n)).toThrow(refused('liabilities-mismatch'));
    expect(book.balancesTotal).toBe(10n);
    expect(book.leavesOf(other.owner)).toEqual([]);
  });

  it('has leaves of nobody where pages have no balance, which nobody can open, each with a blind of its own', () => {
    const book = new LiabilityBook(blinds);
    book.setBalance(258, balanceOf(5n), 4n);
    const leaf = { kind: 'balance', owner: NOBODY, amount: 0n, number: 0n } as const;
    for (const index of [0, 255, 256, 257, 259, 511]) {
      const hash = liabilityLeafHash({ ...leaf, index, blind: blinds.of(index, 0n) });
      expect(hex(book.tree.nodeAt(0, index))).toBe(hex(hash));
      expect(book.has(index)).toBe(false);
    }
    expect([...book.balances()]).toEqual([258]);
    expect(book.leavesOf(NOBODY)).toEqual([]);
  });

  it('has several withdrawals of one balance beside it, and each place again once it is over', () => {
    const book = bookWithRoom();
    const balance = balanceOf(5n);
    const [first, second, third] = [withdrawal(7n, balance), withdrawal(8n, balance, 4n), withdrawal(9n, balance)];
    book.setBalance(256, balance, 1n);
    for (const each of [first, second]) book.setWithdrawal(each, 1n);
    const leaves = book.leavesOf(balance.owner);
    expect(leaves.map((leaf) => leaf.kind === 'balance' && [leaf.number, leaf.amount]).sort()).toEqual([
      [0n, 5n],
      [7n, 3n],
      [8n, 4n],
    ]);
    expect(book.balancesTotal).toBe(5n);
    const room = book.room;
    // Seen again, it takes no further place.
    book.setWithdrawal({ ...first, wallet: randomAddress() }, 2n);
    expect(book.room).toBe(room);
    const placeOf = (number: bigint) =>
      book.leavesOf(balance.owner).find((leaf) => leaf.kind === 'balance' && leaf.number === number)?.index;
    const place = placeOf(7n);
    book.removeWithdrawal(7n, 2n);
    book.removeWithdrawal(7n, 2n);
    expect([placeOf(7n), book.room]).toEqual([undefined, room + 1]);
    book.setWithdrawal(third, 3n);
    expect(placeOf(9n)).toBe(place);
    expect([...book.pending].map(({ number }) => number)).toEqual([8n, 9n]);
  });

  it('gives the place of a window that is over to the next leaf, and moves nobody', () => {
    const book = bookWithRoom(9);
    const [schedule, next] = [randomAddress(), randomAddress()];
    const balance = balanceOf(1n);
    book.setWindow({ schedule, window: 3n, paid: 9n }, 1n);
    book.setBalance(256, balance, 1n);
    const leaf = book.windowLeaf(schedule);
    expect(leaf).toMatchObject({ kind: 'window', window: 3n, paid: 9n });
    expect(Math.floor((leaf?.index ?? 0) / PAGE_PLACES)).toBe(9);
    const { leafCount } = book.tree;
    book.removeWindow(schedule, 2n);
    expect(book.windowLeaf(schedule)).toBeUndefined();
    book.setWindow({ schedule: next, window: 0n, paid: 0n }, 3n);
    expect(book.windowLeaf(next)?.index).toBe(leaf?.index);
    expect(book.leavesOf(balance.owner)).toMatchObject([{ index: 256 }]);
    expect(book.tree.leafCount).toBe(leafCount);
    expect(book.balancesTotal).toBe(1n);
  });

  it('says when it has no room for another window or withdrawal, and takes a page more', () => {
    const book = new LiabilityBook(blinds);
    const window = () => ({ schedule: randomAddress(), window: 0n, paid: 0n });
    expect(() => book.setWindow(window(), 1n)).toThrow('no room');
    expect(() => book.setWithdrawal(withdrawal(1n, balanceOf(1n)), 1n)).toThrow('no room');
    book.addRoom(2);
    expect(book.room).toBe(PAGE_PLACES);
    for (let each = 0; each < PAGE_PLACES; each++) book.setWindow(window(), 1n);
    expect(() => book.setWindow(window(), 1n)).toThrow('no room');
    book.addRoom(5);
    book.setWindow(window(), 1n);
    expect(book.room).toBe(PAGE_PLACES - 1);
    expect(book.windows.size).toBe(PAGE_PLACES + 1);
  });

  it('tells which chunks are to be stored, once: those that are a page each', () => {
    const book = new LiabilityBook(blinds);
    const balances = Array.from({ length: 3 }, () => balanceOf(1n));
    for (const [page, balance] of balances.entries()) book.setBalance(page * CHUNK_LEAVES + 7, balance, 1n);
    expect(book.takeChangedChunks()).toEqual([0, 1, 2].map((chunk) => ({ chunk, who: true })));
    expect(book.takeChangedChunks()).toEqual([]);
    book.setBalance(CHUNK_LEAVES + 7, { ...(balances[1] as LiabilityBalance), amount: 2n }, 2n);
    book.markChanged([2, 99]);
    expect(book.takeChangedChunks()).toEqual([
      { chunk: 1, who: false },
      { chunk: 2, who: true },
    ]);
    expect(book.chunk(2)).toHaveLength(CHUNK_LEAVES * ENTRY_BYTES);
  });

  it('keeps its sums and its tree through any changes, and is the same when it is loaded again', () => {
    const step = fc.record({
      kind: fc.constantFrom('balance', 'balance', 'balance', 'withdraw', 'clear', 'open', 'close'),
      who: fc.nat(11),
      amount: fc.bigInt({ min: 0n, max: 10n }),
      number: fc.bigInt({ min: 1n, max: 6n }),
    });
    const people = Array.from({ length: 12 }, (_, one) => ({ ...balanceOf(0n), place: 256 + one * 23 }));
    const schedules = Array.from({ length: 12 }, randomAddress);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const book = bookWithRoom();
        const balances = new Map<number, bigint>();
        const withdrawals = new Map<bigint, Pending>();
        const windows = new Map<Address, bigint>();
        for (const [at, { kind, who, amount, number }] of steps.entries()) {
          const version = BigInt(at + 1);
          const schedule = schedules[who] as Address;
          const { owner, place } = people[who] as (typeof people)[number];
          if (kind === 'balance') {
            book.setBalance(place, { owner, amount }, version);
            balances.set(place, amount);
          } else if (kind === 'withdraw') {
            const seen = withdrawals.get(number) ?? withdrawal(number, { owner, amount }, amount + 1n);
            book.setWithdrawal(seen, version);
            withdrawals.set(number, seen);
          } else if (kind === 'clear') {
            book.removeWithdrawal(number, version);
            withdrawals.delete(number);
          } else if (kind === 'open') {
            book.setWindow({ schedule, window: number, paid: amount }, version);
            windows.set(schedule, number);
          } else {
            book.removeWindow(schedule, version);
            windows.delete(schedule);
          }
        }
        const total = [...balances.values()].reduce((sum, amount) => sum + amount, 0n);
        const copy = reloaded(book);
        for (const each of [book, copy]) {
          expect(each.balancesTotal).toBe(total);
          const pending = [...each.pending].map(({ number, owner, amount }) => `${number} ${hex(owner)} ${amount}`);
          expect(pending.sort()).toEqual(
            [...withdrawals.values()].map(({ number, owner, amount }) => `${number} ${hex(owner)} ${amount}`).sort(),
          );
          expect(new Map(each.windows)).toEqual(windows);
          expect([...each.balances()].sort()).toEqual([...balances.keys()].sort());
          expect(each.room).toBe(PAGE_PLACES - withdrawals.size - windows.size);
        }
        expect(hex(copy.tree.root)).toBe(hex(book.tree.root));
        expect(copy.takeChangedChunks()).toEqual([]);

        const hashes = Array.from({ length: book.tree.leafCount }, (_, index) => book.tree.nodeAt(0, index));
        const leaves = [
          ...people.flatMap(({ owner }) => book.leavesOf(owner)),
          ...schedules.flatMap((schedule) => book.windowLeaf(schedule) ?? []),
        ];
        expect(leaves).toHaveLength(balances.size + withdrawals.size + windows.size);
        expect(new Set(leaves.map(({ index }) => index)).size).toBe(leaves.length);
        for (const leaf of leaves) hashes[leaf.index] = liabilityLeafHash(leaf);
        expect(hex(new MerkleTree(hashes).root)).toBe(hex(book.tree.root));
      }),
      { numRuns: 100 },
    );
  });
});
