import { randomBytes } from 'node:crypto';
import { prepareList, type RecipientList, systemTime } from '@payouts/client';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../src/http/ownEntries.ts';
import { inTurns, RecipientIndex } from '../src/lists/recipientIndex.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { deleteListsOf } from '../src/store/queries/deletion.ts';
import { type ListRow, registerList } from '../src/store/queries/lists.ts';
import { listLists } from '../src/store/queries/scheduleLists.ts';
import { findSchedule, type ScheduleRow } from '../src/store/queries/schedules.ts';
import { isWithdrawal, type WithdrawalRecord } from '../src/withdrawals/keptRecord.ts';
import { monthOf, WithdrawalBook } from '../src/withdrawals/withdrawalBook.ts';
import { observedSchedule } from './support/addSchedule.ts';
import { recordsOf } from './support/listRecords.ts';
import { keptLog, silentLog } from './support/log.ts';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';

describe('the index of recipients', () => {
  const store = useStore();
  const payloadKeys = localPayloadKeys(randomBytes(32));
  const indexOf = (keys = payloadKeys, mostEntries = 500, log = silentLog, database = store.query) =>
    new RecipientIndex({
      mostEntries,
      time: systemTime,
      database,
      payloadKeys: keys,
      log,
      signal: new AbortController().signal,
    });

  async function register(list: RecipientList, keys = payloadKeys, vault = randomAddress()): Promise<Address> {
    const address = randomAddress();
    const columns = { vault, root: Buffer.from(list.root).toString('hex'), recipients: list.recipients.length };
    const schedule = { ...observedSchedule(address, columns), employer: null };
    const registration = { schedule, root: list.root, records: recordsOf(list), payloadKeys: keys, at: 1 };
    await registerList(store.query, registration, async () => undefined);
    return address;
  }

  it('finds a recipient in every list in which they stand, however often, and in no other', async () => {
    const someone = randomAddress();
    const payees = (...recipients: Address[]) => recipients.map((recipient) => ({ recipient, amount: 5n }));
    const others = () => Array.from({ length: 700 }, randomAddress);
    const [first, second] = [prepareList(payees(...others(), someone, someone)), prepareList(payees(someone))];
    const schedules = [await register(first), await register(prepareList(payees(...others()))), await register(second)];
    const index = indexOf();
    index.prepare();
    await index.idle();
    const found = await index.entriesOf(someone);
    expect(found.map(({ list, entry }) => [list.schedule, entry.recipient])).toEqual([
      [schedules[2], someone],
      [schedules[0], someone],
      [schedules[0], someone],
    ]);
    const expected = first.recipients.filter(({ recipient }) => recipient === someone);
    expect(found.slice(1).map(({ entry }) => entry)).toEqual(expected);
    expect(await index.entriesOf(randomAddress())).toEqual([]);

    // What a thief of the database has: no tag twice but where somebody stands twice in one list.
    const rows = await store.query.selectFrom('recipient_tags').selectAll().execute();
    expect(rows).toHaveLength(702 + 700 + 1);
    const tags = rows.map(({ tag }) => Buffer.from(tag).toString('hex'));
    expect(new Set(tags).size).toBe(rows.length - 1);

    await deleteListsOf(store.query, schedules[0] as string);
    expect(await index.entriesOf(someone)).toHaveLength(1);
  });

  it('takes nobody for a stranger who is in a list that it does not know yet, long as it may be', async () => {
    const payees = (...recipients: Address[]) => recipients.map((recipient) => ({ recipient, amount: 5n }));
    const [early, late] = [randomAddress(), randomAddress()];
    const index = indexOf();
    const first = await register(prepareList(payees(early, ...Array.from({ length: 1_200 }, randomAddress))));
    expect((await index.namedIn(early)).map(({ list }) => list.schedule)).toEqual([first]);
    // Also of one that is stored while it looks through those before.
    await register(prepareList(payees(...Array.from({ length: 1_200 }, randomAddress))));
    index.prepare();
    await register(prepareList(payees(late)));
    expect(await index.namedIn(late)).toHaveLength(1);
    expect(await index.namedIn(randomAddress())).toEqual([]);
  });

  it('shows what others pay, though somebody names a recipient in more lists than are opened', async () => {
    const [someone, flooder] = [randomAddress(), randomAddress()];
    const once = prepareList([{ recipient: someone, amount: 1n }]);
    const schedule = await register(prepareList([{ recipient: someone, amount: 5n }]));
    for (let lists = 0; lists < 12; lists++) await register(once, payloadKeys, flooder);
    const index = indexOf(payloadKeys, 10);
    index.prepare();
    await index.idle();
    const found = await index.entriesOf(someone);
    expect(found).toHaveLength(10);
    expect(found.at(-1)?.list.schedule).toBe(schedule);
    expect(await index.namedIn(someone)).toHaveLength(13);
  });

  it('reads little for whoever stands in a list many times', async () => {
    const someone = randomAddress();
    const list = prepareList(Array.from({ length: 1_200 }, () => ({ recipient: someone, amount: 1n })));
    const address = await register(list);
    const index = indexOf();
    const [row] = await listLists(store.query, address);
    const first = list.recipients.slice(0, 500);
    // Before the index has it, and then.
    expect(await index.entriesIn(row as ListRow, someone)).toEqual(first);
    index.prepare();
    await index.idle();
    expect(await index.namedIn(someone)).toHaveLength(500);
    expect((await index.entriesOf(someone)).map(({ entry }) => entry)).toEqual(first);

    let statements = 0;
    const counting = store.query.withPlugin({
      transformQuery: ({ node }) => {
        statements++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    expect(await indexOf(payloadKeys, 500, silentLog, counting).entriesIn(row as ListRow, someone)).toEqual(first);
    expect(statements).toBeLessThan(10);
  });

  it('leaves out no vault’s newest for another’s', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6), { maxLength: 60 }), fc.integer({ min: 7, max: 40 }), (vaults, most) => {
        const rows = vaults.map((vault, age) => ({ vault: `${vault}`, age }));
        const taken = inTurns(rows, most);
        expect(new Set(taken).size).toBe(Math.min(most, rows.length));
        const counts = [...new Set(vaults.map(String))].map((vault) => {
          const ofVault = (some: readonly (typeof rows)[number][]) => some.filter((row) => row.vault === vault);
          const [all, own] = [ofVault(rows), ofVault(taken)];
          expect(own).toEqual(all.slice(0, own.length));
          return { own: own.length, isAll: own.length === all.length };
        });
        // Whoever has fewer than another has all that there is, but for the last turn.
        const highest = Math.max(0, ...counts.map(({ own }) => own));
        for (const { own, isAll } of counts) expect(isAll || own >= highest - 1).toBe(true);
      }),
    );
  });

  it('opens no list for whoever is not in it, once it is indexed', async () => {
    const [someone, stranger] = [randomAddress(), randomAddress()];
    const address = await register(prepareList([{ recipient: someone, amount: 5n }]));
    const schedule = (await findSchedule(store.query, address)) as ScheduleRow;
    const index = indexOf();
    const entries = (who: Address) => entriesOf({ database: store.query, recipients: index }, schedule, who);
    // Before the index has it, the list itself tells.
    expect((await entries(someone)).map(({ entries: own }) => own.length)).toEqual([1]);
    expect(await entries(stranger)).toEqual([]);
    index.prepare();
    await index.idle();
    expect((await entries(someone)).map(({ entries: own }) => own.length)).toEqual([1]);
    const content = Buffer.from('nothing that could be opened');
    const [list] = await listLists(store.query, address);
    await store.query
      .updateTable('recipient_list_chunks')
      .set({ content })
      .where('list_id', '=', list?.id as number)
      .execute();
    expect(await entries(stranger)).toEqual([]);
    await expect(entries(someone)).rejects.toThrow('encrypted');
  });

  it('goes on with other lists when one can not be read', async () => {
    const someone = randomAddress();
    const list = () => prepareList([{ recipient: someone, amount: 1n }]);
    await register(list(), localPayloadKeys(randomBytes(32)));
    const readable = await register(list());
    const { log, lines } = keptLog();
    const index = indexOf(payloadKeys, undefined, log);
    // A stranger waits for it once; then nobody does.
    for (let times = 0; times < 3; times++) expect(await index.namedIn(randomAddress())).toEqual([]);
    expect(lines()).toHaveLength(1);
    expect((await index.entriesOf(someone)).map((own) => own.list.schedule)).toEqual([readable]);
  });

  it('finds all withdrawals of a recipient up to a month, and of nobody else', async () => {
    const book = new WithdrawalBook({ database: store.query, payloadKeys, time: systemTime });
    const [someone, other] = [randomAddress(), randomAddress()];
    const record = (seenAt: number, number: bigint, recipient = someone): WithdrawalRecord => ({
      recipient,
      balance: randomAddress(),
      mint: randomAddress(),
      number,
      amount: 2n ** 64n - 1n,
      wallet: randomAddress(),
      state: 'issued',
      seenAt,
      issuedAt: seenAt + 1,
      paidAt: null,
    });
    const days = Array.from({ length: 13 }, (_, day) => Date.UTC(2026, 10, day + 1));
    const records = [Date.UTC(2026, 6, 1), ...days, Date.UTC(2027, 0, 31)].map((at, number) =>
      record(at, BigInt(number)),
    );
    for (const one of records) await book.add(one);
    await book.add(record(Date.UTC(2026, 10, 1), 99n, other));
    const numbers = async (until: number) =>
      (await book.of(someone, until))
        .map(({ record: one }) => (isWithdrawal(one) ? Number(one.number) : -1))
        .sort((a, b) => a - b);
    expect(await numbers(Date.UTC(2027, 5, 1))).toEqual(records.map((_, number) => number));
    expect(await numbers(Date.UTC(2026, 10, 2))).toEqual(records.slice(0, -1).map((_, number) => number));
    expect(await numbers(Date.UTC(2026, 0, 1))).toEqual([]);

    const [kept] = await book.of(someone, Date.UTC(2026, 6, 1));
    expect(kept?.record).toEqual(records[0]);
    if (kept === undefined) throw new Error('it is kept');
    const paid: WithdrawalRecord = { ...(records[0] as WithdrawalRecord), state: 'paid', paidAt: 5 };
    expect(await book.change({ ...kept, record: paid })).toBe(true);
    expect((await book.of(someone, Date.UTC(2026, 6, 1)))[0]?.record).toEqual(paid);
    const rows = await store.query.selectFrom('withdrawals').selectAll().execute();
    expect(new Set(rows.map(({ content }) => content.length)).size).toBe(1);
  });
});

it('counts months without a gap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_970, max: 3_000 }), fc.nat(10), (year, month) => {
      expect(monthOf(Date.UTC(year, month + 1))).toBe(monthOf(Date.UTC(year, month)) + 1);
    }),
  );
  expect(monthOf(Date.UTC(2027, 0)) - monthOf(Date.UTC(2026, 11, 31))).toBe(1);
});

/** A list as its registration hands it on: recipient 32 ‖ amount u64 ‖ delivery u8 ‖ salt 16 each. */
