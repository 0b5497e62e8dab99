import { randomBytes } from 'node:crypto';
import { verifyLiabilityInclusion } from '@payouts/client';
import { describe, expect, it } from 'vitest';
import { Blinds, type LiabilityBalance } from '../src/domain/liability.ts';
import { CHUNK_LEAVES, LiabilityBook } from '../src/liabilities/book.ts';
import { DecryptionFailed } from '../src/store/crypto/cipher.ts';
import { joinLiabilityChunk, openLiabilityChunk, sealLiabilityChunk } from '../src/store/crypto/liabilityChunks.ts';
import { localPayloadKeys, WrongPayloadKey } from '../src/store/crypto/payloadKeys.ts';
import {
  chunksChangedAfter,
  deleteRecordingsBefore,
  findRecording,
  findTreeKey,
  findUnsettledRecordings,
  lastRecordingNumber,
  RecordingTaken,
  readChunks,
  treeKey,
} from '../src/store/queries/liabilities.ts';
import { settleTransaction } from '../src/store/queries/transactions.ts';
import { randomAddress } from './support/promised.ts';
import { saveBook } from './support/recordings.ts';
import { useStore } from './support/stores.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const payload = localPayloadKeys(randomBytes(32));

const store = useStore('PGlite');

/** A token's book and its recordings, as a recorder stores them. */
async function tokenWithBook() {
  const mint = randomAddress();
  const tree = await treeKey(store.query, mint, payload, 1);
  const { key, seed } = tree;
  const book = new LiabilityBook(new Blinds(seed, mint));
  const record = (number: bigint, sequence: bigint) => saveBook(store.query, { mint, key, book }, { number, sequence });
  const load = async (number: bigint, leaves: number) => {
    const loaded = new LiabilityBook(new Blinds(seed, mint));
    const chunks = Math.ceil(leaves / CHUNK_LEAVES);
    for await (const chunk of readChunks(store.query, { mint, number, chunks, key })) loaded.load(chunk);
    return loaded;
  };
  return { mint, key, seed, tree, book, record, load };
}

const people = (count: number): LiabilityBalance[] =>
  Array.from({ length: count }, () => ({ owner: randomBytes(32), amount: 10n }));

/** Gives balances places in order, from the first one on. */
function setAll(book: LiabilityBook, balances: readonly LiabilityBalance[]): void {
  for (const [place, balance] of balances.entries()) book.setBalance(place, balance, 1n);
}

describe('the liabilities tree at rest', () => {
  it('stands as of each recording until a later one is final, and stores only what changed', async () => {
    const { mint, book, record, load } = await tokenWithBook();
    const balances = people(3 * CHUNK_LEAVES);
    setAll(book, balances);
    await record(1n, 1n);
    const first = hex(book.tree.root);
    const changed = balances[CHUNK_LEAVES] as LiabilityBalance;
    book.setBalance(CHUNK_LEAVES, { ...changed, amount: 11n }, 2n);
    await record(2n, 2n);
    const second = hex(book.tree.root);
    expect(await chunksChangedAfter(store.query, mint, 1n)).toEqual([1]);
    expect(await chunksChangedAfter(store.query, mint, 2n)).toEqual([]);
    expect(hex((await load(1n, book.tree.leafCount)).tree.root)).toBe(first);
    expect(hex((await load(2n, book.tree.leafCount)).tree.root)).toBe(second);
    expect(await findRecording(store.query, mint, 1n, first)).toMatchObject({ number: '1', leaves: 768 });
    expect(await findRecording(store.query, mint, 1n, second)).toBeUndefined();

    const loaded = await load(2n, book.tree.leafCount);
    const [leaf] = loaded.leavesOf(changed.owner);
    if (leaf === undefined) throw new Error('the leaf is missing');
    expect(leaf).toMatchObject({ index: CHUNK_LEAVES, amount: 11n });
    const pool = { liabilitiesRoot: Buffer.from(second, 'hex'), liabilityLeaves: loaded.tree.leafCount };
    expect(verifyLiabilityInclusion({ pool, leaf, proof: loaded.tree.proof(leaf.index) })).toBe(true);

    await deleteRecordingsBefore(store.query, mint, 2n);
    expect(await findRecording(store.query, mint, 1n, first)).toBeUndefined();
    expect(hex((await load(2n, book.tree.leafCount)).tree.root)).toBe(second);
    const rows = await store.query
      .selectFrom('liability_chunks')
      .select(['chunk', 'part', 'number'])
      .where('mint', '=', mint)
      .execute();
    expect(rows.map(({ chunk, part, number }) => `${chunk} ${part} ${number}`).sort()).toEqual([
      '0 what 1',
      '0 who 1',
      '1 what 2',
      '1 who 1',
      '2 what 1',
      '2 who 1',
    ]);
    expect(await lastRecordingNumber(store.query, mint)).toBe(2n);
  });

  it('takes no recording of a process that has missed later ones', async () => {
    const { book, record, mint } = await tokenWithBook();
    setAll(book, people(3));
    await record(1n, 1n);
    await record(2n, 2n);
    await record(3n, 3n);
    await deleteRecordingsBefore(store.query, mint, 3n);
    for (const number of [1n, 2n, 3n]) await expect(record(number, 4n)).rejects.toThrow(RecordingTaken);
    await record(4n, 4n);
  });

  it('knows the recordings whose end is not known', async () => {
    const { mint, book, record } = await tokenWithBook();
    expect(await lastRecordingNumber(store.query, mint)).toBe(0n);
    setAll(book, people(2));
    const one = await record(1n, 1n);
    const two = await record(2n, 1n);
    expect((await findUnsettledRecordings(store.query, mint)).map(({ id }) => id)).toEqual([one, two]);
    await settleTransaction(store.query, one, 'failed');
    expect((await findUnsettledRecordings(store.query, mint)).map(({ id }) => id)).toEqual([two]);
  });

  it('is as long whatever the amounts are', async () => {
    const { mint, key, seed } = await tokenWithBook();
    const place = { mint, chunk: 0, part: 'what', number: 1n } as const;
    const sizes = new Set<number>();
    for (const amountOf of [() => 5n, (line: number) => BigInt(line % 5), () => randomBytes(8).readBigUInt64LE()]) {
      const book = new LiabilityBook(new Blinds(seed, mint));
      for (const [line, balance] of people(CHUNK_LEAVES - 56).entries()) {
        book.setBalance(line, { ...balance, amount: amountOf(line) }, 1n);
      }
      const sealed = sealLiabilityChunk(key, book.chunk(0), place);
      sizes.add(sealed.length);
      const whoPlace = { ...place, part: 'who' } as const;
      const who = openLiabilityChunk(key, sealLiabilityChunk(key, book.chunk(0), whoPlace), whoPlace);
      const what = openLiabilityChunk(key, sealed, place);
      expect(joinLiabilityChunk(who, what)).toEqual(book.chunk(0));
    }
    expect(sizes.size).toBe(1);
  });

  it('shows nothing of a recipient, can be read by its payload key alone, and only where it belongs', async () => {
    const { mint, key, tree, book } = await tokenWithBook();
    const [balance] = people(1) as [LiabilityBalance];
    book.setBalance(256, balance, 1n);
    const place = { mint, chunk: 1, part: 'who', number: 1n } as const;
    const sealed = Buffer.from(sealLiabilityChunk(key, book.chunk(1), place));
    const owner = Buffer.from(balance.owner);
    expect([book.chunk(1).includes(owner), sealed.includes(owner)]).toEqual([true, false]);
    const whatPlace = { ...place, part: 'what' } as const;
    const what = openLiabilityChunk(key, sealLiabilityChunk(key, book.chunk(1), whatPlace), whatPlace);
    expect(joinLiabilityChunk(openLiabilityChunk(key, sealed, place), what)).toEqual(book.chunk(1));
    const others = [{ ...place, chunk: 0 }, { ...place, number: 2n }, { ...place, mint: randomAddress() }, whatPlace];
    for (const other of others) expect(() => openLiabilityChunk(key, sealed, other)).toThrow(DecryptionFailed);
    expect(await findTreeKey(store.query, mint, payload)).toEqual(tree);
    expect(await findTreeKey(store.query, randomAddress(), payload)).toBeUndefined();
    await expect(findTreeKey(store.query, mint, localPayloadKeys(randomBytes(32)))).rejects.toThrow(WrongPayloadKey);
  });
});
