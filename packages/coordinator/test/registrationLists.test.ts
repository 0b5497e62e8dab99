import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { addressToBytes, MerkleTree, type Payee, termsOfLeaf, verifyRange } from '@payouts/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { placeIn } from '../src/balances/pages.ts';
import type { ListRecords } from '../src/domain/listRecords.ts';
import { PayableLists } from '../src/lists/payableLists.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import {
  findEntries,
  findList,
  type ListRow,
  readPage,
  readRecipients,
  readRecords,
} from '../src/store/queries/lists.ts';
import { useApi } from './support/api.ts';
import { balancesOver } from './support/balances.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { useLedger } from './support/ledgerStub.ts';
import { type Promised, promise, randomAddress, somePayees } from './support/promised.ts';
import { useStore } from './support/stores.ts';

const keys = localPayloadKeys(randomBytes(32));
/** More than two blocks. */
const SIZE = 9_000;

type Stored = Promised & { readonly row: ListRow; readonly records: ListRecords };

describe('a registered list', () => {
  const store = useStore();
  const ledger = useLedger();
  let told: { row: ListRow; records: ListRecords } | undefined;
  let large: Stored;
  const service = useApi(store, {
    ledger,
    payloadKeys: keys,
    bodyLimitBytes: 10_000_000,
    onStored: (row, records) => {
      told = { row, records };
    },
  });

  async function register(size: number): Promise<Stored> {
    const someone = randomAddress();
    const payees = somePayees(size).map(
      (payee, line): Payee =>
        line % 4_000 === 7
          ? { ...payee, recipient: someone }
          : { ...payee, delivery: line % 3 === 2 ? 'wallet' : 'balance' },
    );
    const made = promise(ledger, randomAddress(), payees);
    await service.register(made);
    if (told === undefined) throw new Error('nobody was told of the list');
    return { ...made, ...told };
  }

  const chunksOf = async ({ row }: Stored) => {
    const { rows } = await store.database.pool.query(
      `select content from recipient_list_chunks where list_id = ${row.id} order by number`,
    );
    return (rows as { content: Uint8Array }[]).map(({ content }) => Buffer.from(content));
  };
  const payableLists = () => new PayableLists({ database: store.query, payloadKeys: keys });

  beforeAll(async () => {
    large = await register(SIZE);
  });

  it('comes back as it was, in blocks in which nothing can be read', async () => {
    const { list, row } = large;
    expect(await readRecipients(store.query, row, keys)).toEqual(list.recipients);
    const blocks = await chunksOf(large);
    expect(blocks).toHaveLength(3);
    // 57 bytes a recipient, and mark, nonce and tag of each block.
    expect(blocks.reduce((sum, { length }) => sum + length, 0)).toBe(57 * SIZE + 3 * 36);
    for (const { salt, recipient } of list.recipients.slice(0, 50)) {
      for (const block of blocks) {
        expect(block.includes(Buffer.from(salt))).toBe(false);
        expect(block.includes(Buffer.from(addressToBytes(recipient)))).toBe(false);
      }
    }
  });

  it('is read in pages', async () => {
    const { list, row } = large;
    const page = (first: number, count: number) => readPage(store.query, row, keys, first, count);
    for (const [first, count] of [
      [0, 10],
      [4_090, 12],
      [8_190, 5_000],
      [0, SIZE],
      [SIZE, 10],
    ] as const) {
      expect(await page(first, count)).toEqual(list.recipients.slice(first, first + count));
    }
  });

  it('is searched for an address, which may stand there several times', async () => {
    const { list, row } = large;
    const times = new Map<string, number>();
    for (const { recipient } of list.recipients) times.set(recipient, (times.get(recipient) ?? 0) + 1);
    const [someone] = [...times].find(([, count]) => count === 3) ?? [''];
    const found = await findEntries(store.query, row, keys, addressToBytes(someone));
    expect(found).toEqual(list.recipients.filter(({ recipient }) => recipient === someone));
    expect(found).toHaveLength(3);
    expect(await findEntries(store.query, row, keys, randomBytes(32))).toEqual([]);
  });

  it('has the terms of its leaves and its tree', async () => {
    const { list, row } = large;
    const records = await readRecords(store.query, row, keys);
    const terms = await records.terms();
    for (const [index, recipient] of list.recipients.entries()) {
      if (index % 500 !== 0) continue;
      expect(terms.subarray(index * 56, index * 56 + 56)).toEqual(termsOfLeaf(recipient));
    }
    const tree = await MerkleTree.ofTerms(terms);
    expect(Buffer.from(tree.root)).toEqual(Buffer.from(list.root));
    const claim = { root: list.root, leafCount: SIZE, start: 8_999, leafHashes: [tree.leaf(8_999)] };
    expect(verifyRange({ ...claim, proof: tree.proof(8_999) })).toBe(true);
  });

  it.each([5, 700])(
    'is paid to the balances of its owners, where they have their places: %i recipients',
    async (size) => {
      const stored = await register(size);
      const { list, row, vault, mint } = stored;
      const payees = await payableLists().read(row);
      expect(payees.places).toBeUndefined();
      const balances = balancesOver({ database: store.query, payloadKeys: keys, layer: layerShowing(() => []) });
      await balances.place(row, payees, { vault, mint });
      const at = placeIn(await balances.of(mint, payees));
      const places = payees.places as Uint32Array;
      for (const start of [0, size - 2]) {
        const { entries, pages, ...claims } = payees.claims({ start, count: size - start }, at);
        expect(claims).toEqual({ start });
        for (const [leaf, each] of list.recipients.slice(start).entries()) {
          const { page, slot } = at(places[each.index] as number);
          const place = Uint8Array.of(pages.indexOf(page), slot);
          expect(entries.subarray(leaf * 58, leaf * 58 + 58)).toEqual(
            Uint8Array.from([...termsOfLeaf(each), ...place]),
          );
        }
        expect(entries).toHaveLength((size - start) * 58);
      }
      expect(payees.delivered()).toEqual(
        list.recipients.flatMap(({ delivery, index }) => (delivery === 'wallet' ? [index] : [])),
      );
      expect(payees.entryAt(size - 1)).toEqual(list.recipients.at(-1));
      expect(Buffer.from((await payees.tree()).root)).toEqual(Buffer.from(list.root));

      // Whoever reads it later finds the places, and knows the list a short while.
      const again = payableLists();
      const kept = (await findList(store.query, row.schedule, row.root)) as ListRow;
      const read = await again.read(kept);
      expect(read.places).toEqual(places);
      expect(again.recent(row.schedule, row.root)).toBe(read);
      expect(await again.read(kept)).toBe(read);
      // What a log or an error shows of it says nothing.
      expect(JSON.stringify(read)).toBe('{}');
      expect(inspect(read, { depth: 9 })).not.toMatch(/[0-9]{3}/);
    },
  );

  it('is read once before its window is due, if it is large, by whoever comes first', async () => {
    const [small, long] = [await register(700), await register(5_000)];
    const lists = payableLists();
    const schedules = [small, long].map(({ row }) => row.schedule);
    const [, read] = await Promise.all([lists.prepare(schedules), lists.read(long.row)]);
    expect(lists.recent(small.row.schedule, small.row.root)).toBeUndefined();
    expect(lists.recent(long.row.schedule, long.row.root)).toBe(read);
    expect(Buffer.from((await read.tree()).root)).toEqual(Buffer.from(long.list.root));
    await lists.prepare([]);
    await lists.prepare(schedules);
    expect(lists.recent(long.row.schedule, long.row.root)).toBe(read);
  });

  it('that can’t be read keeps no other from being made ready, and nobody from asking again', async () => {
    const { row } = await register(5_000);
    const lists = new PayableLists({ database: store.query, payloadKeys: localPayloadKeys(randomBytes(32)) });
    await lists.prepare([row.schedule]);
    await expect(lists.read(row)).rejects.toThrow();
  });
});
