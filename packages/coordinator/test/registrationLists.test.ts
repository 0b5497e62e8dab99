import { randomBytes } from 'node:crypto';
import {
  addressToBytes,
  deriveBalanceAddresses,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  systemTime,
  verifyRange,
} from '@payouts/client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ListRecords } from '../src/domain/listRecords.ts';
import type { PayableList } from '../src/lists/payableList.ts';
import { PayableLists } from '../src/lists/payableLists.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findEntries, type ListRow, readPage, readRecipients, readRecords } from '../src/store/queries/lists.ts';
import { useApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { silentLog } from './support/log.ts';
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
    const payees = somePayees(size).map((payee, line) =>
      line % 4_000 === 7 ? { ...payee, recipient: someone } : payee,
    );
    const made = promise(ledger, randomAddress(), payees);
    await service.register(made);
    if (told === undefined) throw new Error('nobody was told of the list');
    return { ...made, ...told };
  }

  const claimsOf = (payees: PayableList) => payees.claims(0, payees.count);

  function payableLists(signal = new AbortController().signal): PayableLists {
    const made = new PayableLists({
      time: systemTime,
      database: store.query,
      payloadKeys: keys,
      program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
      log: silentLog,
      signal,
    });
    onTestFinished(() => made.idle());
    return made;
  }

  const blocksOf = async (table: 'recipient_balances' | 'recipient_list_chunks', { row }: Stored) => {
    const { rows } = await store.database.pool.query(`select content from ${table} where list_id = ${row.id}`);
    return (rows as { content: Uint8Array }[]).map(({ content }) => Buffer.from(content));
  };

  beforeAll(async () => {
    large = await register(SIZE);
  });

  it('comes back as it was, in blocks in which nothing can be read', async () => {
    const { list, row } = large;
    expect(await readRecipients(store.query, row, keys)).toEqual(list.recipients);
    const blocks = await blocksOf('recipient_list_chunks', large);
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

  it('has its tree', async () => {
    const { list, row } = large;
    const tree = await (await readRecords(store.query, row, keys)).tree();
    expect(Buffer.from(tree.root)).toEqual(Buffer.from(list.root));
    const claim = { root: list.root, leafCount: SIZE, start: 8_999, leafHashes: [tree.leaf(8_999)] };
    expect(verifyRange({ ...claim, proof: tree.proof(8_999) })).toBe(true);
  });

  describe('is paid', () => {
    const expected = async ({ list, mint }: Promised) => {
      const balances = await deriveBalanceAddresses({ mint, recipients: list.recipients });
      return list.recipients.map((one, place) => ({
        ...one,
        balance: balances[place]?.address,
        bump: balances[place]?.bump,
      }));
    };

    it.each([5, 700])('to balances that whoever pays it first derives and keeps: %i recipients', async (size) => {
      const stored = await register(size);
      expect(await blocksOf('recipient_balances', stored)).toEqual([]);
      const payees = await payableLists().read(stored.row);
      expect(claimsOf(payees)).toEqual(await expected(stored));
      // As far as the list goes, and no further.
      expect(payees.claims(size - 2, 5)).toEqual((await expected(stored)).slice(-2));
      expect(Buffer.from((await payees.tree()).root)).toEqual(Buffer.from(stored.list.root));
      const [block] = await blocksOf('recipient_balances', stored);
      expect(block).toHaveLength(33 * size + 36);
      expect(block?.includes(Buffer.from(addressToBytes(payees.balanceAt(0))))).toBe(false);
    });

    it('to balances that were derived in a thread after the registration, while the event loop turned', async () => {
      let turns = 0;
      const timer = setInterval(() => turns++, 5);
      const made = payableLists();
      made.prepare(large.row, large.records);
      await made.idle();
      clearInterval(timer);
      expect(turns).toBeGreaterThan(10);
      const blocks = await blocksOf('recipient_balances', large);
      expect(new Set(blocks.map(({ length }) => length))).toEqual(new Set([808, 4_096].map((one) => one * 33 + 36)));
      // Somebody who can't derive reads what is kept.
      const stopped = payableLists(AbortSignal.abort());
      expect(claimsOf(await stopped.read(large.row))).toEqual(await expected(large));
    });

    it('to the same when several derive at once', async () => {
      const stored = await register(600);
      const several = [payableLists(), payableLists()];
      several[0]?.prepare(stored.row, stored.records);
      const read = await Promise.all([...several, ...several].map((one) => one.read(stored.row)));
      const right = await expected(stored);
      for (const payees of read) expect(claimsOf(payees)).toEqual(right);
      expect(await blocksOf('recipient_balances', stored)).toHaveLength(1);
    });

    it('when the process ended before they were derived', async () => {
      const stored = await register(600);
      const stopping = new AbortController();
      const made = payableLists(stopping.signal);
      made.prepare(stored.row, stored.records);
      stopping.abort();
      await made.idle();
      expect(await blocksOf('recipient_balances', stored)).toEqual([]);
      expect(claimsOf(await payableLists().read(stored.row))).toEqual(await expected(stored));
    });
  });
});
