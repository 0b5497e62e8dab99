import { randomBytes, randomInt } from 'node:crypto';
import { bitmapSize, ownerRecord, prepareList, type RecipientList, systemTime } from '@payouts/client';
import { type Address, getBase58Decoder, type Signature } from '@solana/kit';
import type { KyselyPlugin } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { Blinds } from '../src/domain/liability.ts';
import { placesFromBytes, placesToBytes } from '../src/domain/places.ts';
import { CHUNK_LEAVES, LiabilityBook } from '../src/liabilities/book.ts';
import { AddressChanges } from '../src/lists/addressChanges.ts';
import { RecipientIndex } from '../src/lists/recipientIndex.ts';
import { rotateKeys } from '../src/rotation/rotateKeys.ts';
import { openReason, sealReason } from '../src/store/crypto/abandonReason.ts';
import { DecryptionFailed, decrypt, encrypt, keyMark, newListKey } from '../src/store/crypto/cipher.ts';
import {
  grantKey,
  grantKeyPlace,
  openNamed,
  openSubject,
  sealNamed,
  sealSubject,
} from '../src/store/crypto/grantSeal.ts';
import { freePlacesPlace } from '../src/store/crypto/liabilityChunks.ts';
import { listKey } from '../src/store/crypto/listKey.ts';
import { keyRing, localPayloadKey, type PayloadKeys, WrongPayloadKey } from '../src/store/crypto/payloadKeys.ts';
import { isPaid, openPayments, sealPayments } from '../src/store/crypto/paymentRecord.ts';
import { RecipientKeys } from '../src/store/crypto/serviceKey.ts';
import { openWebhook, sealContent, webhookKeyPlace } from '../src/store/crypto/webhookSeal.ts';
import { findActiveGrants, findUses, saveGrant, saveUse } from '../src/store/queries/grants.ts';
import { findTreeKey, readChunks, treeKey } from '../src/store/queries/liabilities.ts';
import { findList, type ListRow, readRecipients } from '../src/store/queries/lists.ts';
import { findAdopted, readOwners, saveOwners } from '../src/store/queries/owners.ts';
import { readPages, savePages } from '../src/store/queries/pageNames.ts';
import { findPayments, savePayments } from '../src/store/queries/payments.ts';
import { adoptPages, allotPlaces, readPlaces } from '../src/store/queries/slots.ts';
import { findEndpoint, saveWebhook } from '../src/store/queries/webhooks.ts';
import type { Db } from '../src/store/schema.ts';
import { isTransfer } from '../src/withdrawals/keptRecord.ts';
import { WithdrawalBook } from '../src/withdrawals/withdrawalBook.ts';
import { placeAt } from './support/fakeBalances.ts';
import { recordsOf, storeList } from './support/lists.ts';
import { silentLog } from './support/log.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { saveBook } from './support/recordings.ts';
import { addRun } from './support/runs.ts';
import { STORES, type TestStore, useStore } from './support/stores.ts';

const { signal } = new AbortController();
const SEEN_AT = Date.UTC(2026, 10, 5);
const ENDPOINT = '0b7e7b5a-5b0f-4a58-8f7e-0a6d5f6f9c11';
const RECORDED = 1n;
/** Additional data of nothing that is read. */
const NOWHERE = Buffer.alloc(8);

/** Something of everything that is kept encrypted, and how the service reads it. */
async function everything(database: Db, payloadKeys: PayloadKeys) {
  const list: RecipientList = prepareList(somePayees(5_000));
  const [schedule, mint, vault] = [randomAddress(), randomAddress(), randomAddress()];
  const someone = list.recipients[4_321]?.recipient as Address;
  const root = Buffer.from(list.root).toString('hex');
  const row = await storeList(database, payloadKeys, list, { mint, vault, schedule });
  const terms = await recordsOf(list).terms();
  const newNonce = () => randomBytes(16);
  const allotment = { mint, at: 1, randomBelow: randomInt, newNonce, mostBalances: 1_000_000 };
  const allotted = (list: ListRow) => ({ ...allotment, lists: [{ list, vault, terms }] });
  const found = { ...allotment, pages: [{ number: 40, nonce: newNonce() }], entries: entryOf(terms.subarray(0, 32)) };
  await adoptPages(database, payloadKeys, found);
  const [places] = (await allotPlaces(database, payloadKeys, allotted(row))).places as [Uint32Array];
  const run = await addRun(database, { schedule, window: 3n }, { recipients: 5_000, at: 1 });
  const bitmap = randomBytes(bitmapSize(5_000));
  const window = { schedule, root, recipients: 5_000, window: 3n };
  const paid = sealPayments(await listKey(row, payloadKeys), { bitmap, held: [] }, window);
  await savePayments(database, run.id, { listId: row.id, paid });
  const abandoned = { schedule, window: 3n };
  const reason = await sealReason(payloadKeys, abandoned, 'lost with its layer');
  await database
    .insertInto('abandoned_runs')
    .values({ run_id: run.id, ...reason, abandoned_at: 1 })
    .execute();

  const index = new RecipientIndex({ database, payloadKeys, time: systemTime, log: silentLog, signal });
  index.prepare();
  await index.idle();
  const book = new WithdrawalBook({ database, payloadKeys, time: systemTime });
  const wallet = randomAddress();
  for (const number of [1n, 2n, 3n, 4n, 5n]) {
    const times = { seenAt: SEEN_AT, issuedAt: null, paidAt: null };
    await book.add({ recipient: someone, balance: vault, mint, number, amount: 9n, wallet, state: 'issued', ...times });
  }

  const transfer = { mint, payer: randomAddress(), code: randomAddress(), id: 6n, amount: 9n, state: 'made' } as const;
  const sent = { signature: getBase58Decoder().decode(randomBytes(64)) as Signature, sentAt: SEEN_AT + 1 };
  await book.add({ recipient: someone, ...transfer, seenAt: SEEN_AT, ...sent });

  const change = { present: someone, next: wallet, askedAt: SEEN_AT, signatures: { present: 'p', next: 'n' } };
  const changes = (keys: PayloadKeys) => new AddressChanges({ database, payloadKeys: keys, time: systemTime });
  await changes(payloadKeys).add({ employer: vault, vault }, change);

  const grant = { id: randomBytes(8).toString('hex'), schedule };
  const key = newListKey();
  const wrapped = await payloadKeys.wrap(key, grantKeyPlace(grant));
  await saveGrant(database, {
    ...grant,
    auditor: vault,
    scope: 'recipients',
    named: sealNamed(key, grant, [someone]),
    wrapped_key: wrapped.wrapped,
    key_id: wrapped.keyId,
    created_at: '1',
    ends_at: '9',
    revoked_at: null,
  });
  const use = { grant_id: grant.id, used_at: 2, kind: 'recipient', window_number: null } as const;
  await saveUse(database, { ...use, subject: sealSubject(key, grant, someone) });
  await saveUse(database, { ...use, subject: null });

  const webhookKey = newListKey();
  const content = { url: 'https://hooks.example/', secret: 'whsec_AAAA', former: null, encryptionKey: null };
  const stored = await payloadKeys.wrap(webhookKey, webhookKeyPlace({ id: ENDPOINT }));
  await saveWebhook(database, {
    id: ENDPOINT,
    vault,
    schedule: null,
    types: ['run.completed'],
    content: sealContent(webhookKey, { id: ENDPOINT }, content),
    wrapped_key: stored.wrapped,
    key_id: stored.keyId,
    created_at: 1,
  });

  const tree = await treeKey(database, mint, payloadKeys, 1);
  const liabilities = new LiabilityBook(new Blinds(tree.seed, mint));
  for (const [place, each] of list.recipients.slice(0, 700).entries()) {
    liabilities.setBalance(place, { owner: ownerRecord(each).owner, amount: each.amount }, 1n);
  }
  await saveBook(database, { mint, key: tree.key, book: liabilities }, { number: RECORDED, sequence: RECORDED });

  /** All of it as the service reads it. */
  async function read(keys: PayloadKeys) {
    const now = (await findList(database, schedule, root)) as ListRow;
    const payments = await findPayments(database, run.id);
    if (!payments?.paid) throw new Error('The payments are kept.');
    const [given] = await findActiveGrants(database, schedule, 5);
    if (given === undefined) throw new Error('The grant is kept.');
    const ofGrant = await grantKey(keys, given, { keyId: given.key_id, wrapped: given.wrapped_key });
    const { last } = await findUses(database, given.id);
    const endpoint = await findEndpoint(database, ENDPOINT);
    if (endpoint === undefined) throw new Error('The endpoint is kept.');
    const reading = new RecipientIndex({ database, payloadKeys: keys, time: systemTime, log: silentLog, signal });
    const withdrawals = new WithdrawalBook({ database, payloadKeys: keys, time: systemTime });
    const kept = await withdrawals.of(someone, SEEN_AT);
    const treeNow = await findTreeKey(database, mint, keys);
    if (treeNow === undefined) throw new Error('The tree is kept.');
    const loaded = new LiabilityBook(new Blinds(treeNow.seed, mint));
    const chunks = { mint, number: RECORDED, chunks: Math.ceil(700 / CHUNK_LEAVES), key: treeNow.key };
    for await (const chunk of readChunks(database, chunks)) loaded.load(chunk);
    const [reasonNow] = await database.selectFrom('abandoned_runs').select(['reason', 'key_id']).execute();
    return {
      recipients: await readRecipients(database, now, keys),
      places: [...((await readPlaces(now, keys)) ?? [])],
      pages: await readPages(database, keys, mint, 1),
      owners: await ownersOf(database, { mint, key: treeNow.key, vault }),
      adopted: await findAdopted(database, keys, mint, terms.subarray(0, 32)),
      free: await freeOf(database, mint, treeNow.key),
      paid: isPaid(openPayments(await listKey(payments.list, keys), payments.paid, window), 77),
      entries: await reading.entriesIn(now, someone),
      own: (await reading.entriesOf(someone)).map(({ entry }) => entry),
      withdrawals: kept.map(({ record }) => (isTransfer(record) ? record.sentAt : record.number)).sort(),
      changes: await changes(keys).of(vault),
      named: openNamed(ofGrant, given, given.named),
      subjects: last.map(({ subject }) => subject && openSubject(ofGrant, given, subject)),
      webhook: (await openWebhook(keys, endpoint)).content,
      liabilities: Buffer.from(loaded.tree.root).toString('hex'),
      reason: reasonNow && (await openReason(keys, abandoned, reasonNow as never)),
    };
  }
  const given = { grant, key, use };
  return { read, row, mint, vault, tree, liabilities, given, someone, places, allotted };
}

/** An owner who was found in slot 3 of page 40. */
const entryOf = (owner: Uint8Array) => Buffer.concat([owner, placesToBytes([placeAt(40, 3)])]);

const ownersOf = async (database: Db, { vault, ...of }: { mint: string; key: Uint8Array; vault: string }) =>
  (await readOwners(database, { ...of, vaults: [vault], expected: 0 })).index.entriesFrom(0).toString('hex');

async function freeOf(database: Db, mint: string, key: Uint8Array): Promise<number[]> {
  const { free_places: free } = await database
    .selectFrom('liability_trees')
    .select('free_places')
    .where('mint', '=', mint)
    .executeTakeFirstOrThrow();
  return [...placesFromBytes(decrypt(key, free as Uint8Array, freePlacesPlace(mint)))];
}

/** Everything in a database that is bytes, by table. */
async function bytesOf({ database }: TestStore): Promise<{ table: string; bytes: Buffer }[]> {
  const { rows: columns } = await database.pool.query(
    `select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea'`,
  );
  const all: { table: string; bytes: Buffer }[] = [];
  for (const { table, column } of columns as { table: string; column: string }[]) {
    const { rows } = await database.pool.query(`select ${column} as bytes from ${table} where ${column} is not null`);
    for (const { bytes } of rows as { bytes: Uint8Array }[]) all.push({ table, bytes: Buffer.from(bytes) });
  }
  return all;
}

/** Every data key that is wrapped now, and the service's drawn ones. */
async function dataKeysOf(
  { query }: TestStore,
  payloadKeys: PayloadKeys,
  kept: Awaited<ReturnType<typeof everything>>,
) {
  const endpoint = await findEndpoint(query, ENDPOINT);
  const webhook = endpoint && (await openWebhook(payloadKeys, endpoint)).key;
  const [service] = await new RecipientKeys({ database: query, payloadKeys, time: systemTime }).all();
  const own = [await listKey(kept.row, payloadKeys), kept.tree.key, kept.given.key, webhook as Uint8Array];
  return { keys: [...own, service.of('withdrawals'), service.of('address-changes')], tags: service.of('index') };
}

describe.each(STORES)('a rotation of keys on %s', (name) => {
  const store = useStore(name);
  const [first, second] = [localPayloadKey(randomBytes(32)), localPayloadKey(randomBytes(32))];
  const former = keyRing(first, []);
  const both = keyRing(second, [first]);
  const present = keyRing(second, []);
  let kept: Awaited<ReturnType<typeof everything>>;
  let before: Awaited<ReturnType<typeof kept.read>>;
  let stolen: Awaited<ReturnType<typeof dataKeysOf>>;
  let oldTags: string[];
  const tags = async () =>
    (await bytesOf(store)).filter(({ table }) => table === 'recipient_tags').map(({ bytes }) => bytes.toString('hex'));
  beforeAll(async () => {
    kept = await everything(store.query, former);
    before = await kept.read(former);
    stolen = await dataKeysOf(store, former, kept);
    oldTags = await tags();
  });

  /** What of the database a thief opens who has these keys, by table: all that is encrypted begins with its key's mark. */
  async function opened(keys: readonly Uint8Array[]): Promise<string[]> {
    const marks = keys.map((key) => keyMark(key).toString('hex'));
    const found = (await bytesOf(store)).filter(({ bytes }) => marks.includes(bytes.subarray(0, 8).toString('hex')));
    return [...new Set(found.map(({ table }) => table))].sort();
  }

  it('is needed: whoever has the data keys opens everything that is kept', async () => {
    expect(await opened(stolen.keys)).toEqual([
      'address_changes',
      'auditor_grants',
      'balance_owners',
      'balance_pages',
      'grant_uses',
      'liability_chunks',
      'liability_trees',
      'recipient_list_chunks',
      'recipient_lists',
      'run_payments',
      'webhook_endpoints',
      'withdrawals',
    ]);
  });

  it('goes on wherever it was killed, and everything can be read at every moment', async () => {
    let killedAt = 0;
    for (let isDone = false; !isDone; ) {
      killedAt += 7;
      let left = killedAt;
      const dying: KyselyPlugin = {
        transformQuery: ({ node }) => {
          left -= 1;
          if (left < 0) throw new Error('killed');
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const database = store.query.withPlugin(dying);
      isDone = await rotateKeys({ database, payloadKeys: both, time: systemTime }).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('killed');
          return false;
        },
      );
      expect(await kept.read(both)).toEqual(before);
    }
    expect(killedAt).toBeGreaterThan(28);
  });

  it('leaves nothing that a former payload key or a former data key opens', async () => {
    expect(await kept.read(present)).toEqual(before);
    await expect(kept.read(former)).rejects.toThrow(WrongPayloadKey);
    expect(await opened(stolen.keys)).toEqual([]);
    const [stolenList] = stolen.keys as [Uint8Array];
    const withStolen: PayloadKeys = { ...present, unwrap: async () => stolenList };
    const row = (await findList(store.query, kept.row.schedule, kept.row.root)) as ListRow;
    await expect(readRecipients(store.query, row, withStolen)).rejects.toThrow(DecryptionFailed);
    const newTags = new Set(await tags());
    expect(newTags.size).toBe(oldTags.length);
    expect(oldTags.filter((tag) => newTags.has(tag))).toEqual([]);
    const { rows } = await store.database.pool.query("select name from service_keys where name like 'recipients %'");
    expect(rows).toEqual([{ name: 'recipients 2' }]);
  });

  it('keeps whoever still holds a former data key from writing with it', async () => {
    const refused = { code: 'PK001' };
    const { row, mint, vault, tree, liabilities, given, someone, allotted } = kept;
    const oldKeys: PayloadKeys = { ...present, unwrap: async () => stolen.keys[0] as Uint8Array };
    const of = { mint, key: tree.key };
    await expect(savePages(store.query, of, [{ number: 40, nonce: randomBytes(16) }])).rejects.toMatchObject(refused);
    await expect(savePages(store.query, of, [{ number: 41, nonce: randomBytes(16) }])).rejects.toMatchObject(refused);
    const owners = saveOwners(store.query, { ...of, vault, part: 9 }, entryOf(randomBytes(32)));
    await expect(owners).rejects.toMatchObject(refused);
    const changes = [
      store.query.updateTable('liability_trees').set({ free_places: encrypt(tree.key, Buffer.alloc(4), NOWHERE) }),
      store.query
        .updateTable('recipient_lists')
        .set({ places: encrypt(stolen.keys[0] as Uint8Array, NOWHERE, NOWHERE) }),
      store.query.updateTable('balance_owners').set({ content: encrypt(tree.key, NOWHERE, NOWHERE) }),
    ];
    for (const change of changes) await expect(change.execute()).rejects.toMatchObject(refused);
    // The list's own key was renewed after it was read.
    const now = (await findList(store.query, row.schedule, row.root)) as ListRow;
    const listKeys: PayloadKeys = {
      ...present,
      unwrap: (stored, place) => (stored.wrapped === now.wrapped_key ? oldKeys : present).unwrap(stored, place),
    };
    await expect(allotPlaces(store.query, listKeys, allotted(now))).rejects.toMatchObject(refused);
    liabilities.markChanged([0]);
    await expect(
      saveBook(store.query, { mint, key: tree.key, book: liabilities }, { number: 2n, sequence: 2n }),
    ).rejects.toMatchObject(refused);
    const subject = sealSubject(given.key, given.grant, someone);
    await expect(saveUse(store.query, { ...given.use, subject })).rejects.toMatchObject(refused);
    const content = sealContent(stolen.keys[3] as Uint8Array, { id: ENDPOINT }, { url: 'https://x.example/' } as never);
    const changed = store.query.updateTable('webhook_endpoints').set({ content }).where('id', '=', ENDPOINT).execute();
    await expect(changed).rejects.toMatchObject(refused);
    const place = { schedule: row.schedule, root: row.root, recipients: row.recipients, window: 4n };
    const run = await addRun(store.query, { schedule: row.schedule, window: 4n }, { recipients: 5_000, at: 1 });
    const bitmap = randomBytes(bitmapSize(5_000));
    const paid = sealPayments(stolen.keys[0] as Uint8Array, { bitmap, held: [] }, place);
    await expect(savePayments(store.query, run.id, { listId: row.id, paid })).rejects.toMatchObject(refused);
    expect(await opened(stolen.keys)).toEqual([]);
  });

  it('says how far it is, and is over at once where there is nothing to do', async () => {
    const third = localPayloadKey(randomBytes(32));
    const said: string[] = [];
    const onProgress = (done: number, of: number) => said.push(`${done}/${of}`);
    const payloadKeys = keyRing(third, [second]);
    await rotateKeys({ database: store.query, payloadKeys, time: systemTime, onProgress });
    expect(said).toEqual(['1/6', '2/6', '3/6', '4/6', '5/6', '6/6']);
    expect(await rotateKeys({ database: store.query, payloadKeys, time: systemTime })).toMatchObject({
      lists: 0,
      liabilityTrees: 0,
      serviceKeys: 0,
    });
  });
});
