import { createHmac } from 'node:crypto';
import { addressToBytes, LEAF_RECORD_BYTES, nextTurn, type Recipient, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { BLOCK_RECIPIENTS } from '../domain/listRecords.ts';
import { groupedBy } from '../platform/groupedBy.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { type RecipientKey, RecipientKeys } from '../store/crypto/serviceKey.ts';
import { isDatabaseOutage } from '../store/db/outage.ts';
import { findEntries, type ListRow, openBlocks, readPlaces } from '../store/queries/lists.ts';
import {
  beginTags,
  findPlaces,
  findTagged,
  findTagging,
  findUnindexed,
  lastListId,
  markIndexed,
  saveTags,
} from '../store/queries/recipientTags.ts';
import type { Db } from '../store/schema.ts';

/**
 * Keys of tags. A recipient has a tag under each, so a search asks for so many at most, however many lists there are; lists whose ids
 * are a multiple of this apart use the same key, so that a dump of the database shows of these alone whether they have a recipient in common.
 */
const KEYS = 1_024;
/** Bytes of a tag: by chance no two are the same. */
const TAG_BYTES = 16;
const ADDRESS_BYTES = 32;
/** Entries in one statement: the embedded database keeps the event loop for some milliseconds. */
const AT_ONCE = 512;
/** Entries of one recipient that are opened at a time. */
const MOST_ENTRIES = 500;

export type RecipientIndexInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly time: Pick<Time, 'now'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Entries of one recipient that are opened at a time, if not 500. */
  readonly mostEntries?: number;
};

/** An entry of a recipient: in which list, and the token that is paid. */
export type OwnEntry = { readonly list: ListRow; readonly mint: Address; readonly entry: Recipient };

/** Where a recipient is named. */
export type NamedIn = Pick<Awaited<ReturnType<typeof findTagged>>[number], 'list' | 'mint' | 'vault' | 'place'>;

/**
 * So many of these at most, which come newest first: of each vault in turn the newest, and whose first list is the oldest begins. However many
 * lists somebody registers, nobody else's newest are left out for them.
 */
export function inTurns<Named extends Pick<NamedIn, 'vault'>>(newestFirst: readonly Named[], most: number): Named[] {
  // From the oldest on, so that the vaults come in the order of their first lists.
  const byVault = groupedBy(newestFirst.toReversed(), ({ vault }) => vault);
  const taken: Named[] = [];
  for (let turn = 1; taken.length < Math.min(most, newestFirst.length); turn++) {
    for (const named of byVault.values()) {
      const next = named.at(-turn);
      if (next !== undefined && taken.length < most) taken.push(next);
    }
  }
  return taken;
}

/** Finds a recipient's entries in all registered lists at a cost that doesn't grow with their number. */
export class RecipientIndex {
  readonly #keys: RecipientKeys;
  #underWay: Promise<void> | undefined;
  #isAskedAgain = false;
  /** Ids of lists that could not be read: nobody waits for them, and they are tried again beside the next. */
  readonly #unreadable = new Set<number>();

  constructor(private readonly input: RecipientIndexInput) {
    this.#keys = new RecipientKeys(input);
  }

  /** Takes lists into the index that are not in it yet; returns at once. */
  prepare(): void {
    if (this.#underWay !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#underWay = this.#indexAll().finally(() => {
      this.#underWay = undefined;
      if (this.#isAskedAgain && !this.input.signal.aborted) {
        this.#isAskedAgain = false;
        this.prepare();
      }
    });
  }

  /** Ends when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#underWay !== undefined) await this.#underWay;
  }

  /**
   * The entries of a recipient, those of the newest lists first; of a list that was registered in the last moments they may be missing, if
   * others have the recipient. Where there are more than 500 it is those of each employer's newest lists. Throws `WrongPayloadKey` or `DecryptionFailed`.
   */
  async entriesOf(recipient: Address): Promise<OwnEntry[]> {
    const named = inTurns(await this.namedIn(recipient), this.input.mostEntries ?? MOST_ENTRIES);
    return this.open(
      recipient,
      named.sort((one, other) => other.list.id - one.list.id || one.place - other.place),
    );
  }

  /**
   * In which lists a recipient is, all of them, the newest first, with 500 places of each at most; none is opened. Who is in no list that it
   * knows waits for those that it does not know yet: they must not be taken for a stranger. Throws as `entriesOf`.
   */
  async namedIn(recipient: Address): Promise<NamedIn[]> {
    const named = await this.#find(recipient);
    if (named.length > 0) return named;
    if (await this.#isBehind()) await this.#catchUp();
    // Also where it is not behind: it may have come to know the list since the look above.
    return this.#find(recipient);
  }

  /** Whether there are lists that it does not know yet, and that can be read. */
  async #isBehind(): Promise<boolean> {
    for (let after = 0; ; ) {
      const list = await findUnindexed(this.input.database, after);
      if (list === undefined) return false;
      if (!this.#unreadable.has(list.id)) return true;
      after = list.id;
    }
  }

  /** Looks at all lists that are stored by now, however many more are meanwhile. */
  async #catchUp(): Promise<void> {
    this.prepare();
    // What is under way may be past the newest; then another look follows it.
    await this.#underWay;
    await this.#underWay;
  }

  async #find(recipient: Address): Promise<NamedIn[]> {
    const { database } = this.input;
    const keys = await this.#keys.all();
    const address = addressToBytes(recipient);
    const inUse = Math.min(KEYS, (await lastListId(database)) + 1);
    const tags = keys.flatMap((key) =>
      Array.from({ length: inUse }, (_, number) => tagOf(key.of('index'), number, address)),
    );
    return (await findTagged(database, tags)).filter(({ list, tag, index_key }) => {
      const key = keys.find(({ name }) => name === index_key);
      return key !== undefined && tagOf(key.of('index'), list.id % KEYS, address).equals(tag);
    });
  }

  /** The entries of a recipient in these places, list by list. Throws as `entriesOf`. */
  async open(recipient: Address, named: readonly NamedIn[]): Promise<OwnEntry[]> {
    const { database, payloadKeys } = this.input;
    const own: OwnEntry[] = [];
    for (const ofList of groupedBy(named, ({ list }) => list.id).values()) {
      const [{ list, mint }] = ofList as [NamedIn, ...NamedIn[]];
      const places = ofList.map(({ place }) => place);
      for (const entry of await readPlaces(database, list, payloadKeys, places)) {
        if (entry.recipient === recipient) own.push({ list, mint: mint as Address, entry });
      }
    }
    return own;
  }

  /**
   * The entries of a recipient in one list, the first 500, at a cost that says nothing of how long it is, but for a list that was registered
   * in the last moments. Throws `WrongPayloadKey` or `DecryptionFailed`.
   */
  async entriesIn(list: ListRow, recipient: Address): Promise<Recipient[]> {
    const { database, payloadKeys } = this.input;
    const address = addressToBytes(recipient);
    const tagging = await findTagging(database, list.id);
    if (!tagging?.is_indexed) return findEntries(database, list, payloadKeys, address);
    // Under all keys: one of them may be renewed at this moment.
    const tags = (await this.#keys.all()).map((key) => tagOf(key.of('index'), list.id % KEYS, address));
    const places = await findPlaces(database, list.id, tags);
    const entries = await readPlaces(database, list, payloadKeys, places);
    return entries.filter((entry) => entry.recipient === recipient);
  }

  async #indexAll(): Promise<void> {
    const { database, log, signal } = this.input;
    for (let after = 0; !signal.aborted; ) {
      let list: ListRow | undefined;
      try {
        list = await findUnindexed(database, after);
        if (list === undefined) return;
        after = list.id;
        await this.#index(list);
      } catch (error) {
        if (signal.aborted) return;
        const { schedule } = list ?? {};
        log.warn({ schedule, ...errorFields(error) }, 'the recipients of a list are not found by their address yet');
        // A list that can't be read keeps no other waiting; a database that is gone, all.
        if (list === undefined || isDatabaseOutage(error)) return;
        this.#unreadable.add(list.id);
      }
    }
  }

  async #index(list: ListRow): Promise<void> {
    const [key] = await this.#keys.all();
    await tagList(this.input, list, key);
  }
}

/** Tags every entry of a list with a service key, in steps that may be cut off and begun anew. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function tagList(
  { database, payloadKeys, signal }: Pick<RecipientIndexInput, 'database' | 'payloadKeys' | 'signal'>,
  list: ListRow,
  serviceKey: RecipientKey,
): Promise<void> {
  const key = serviceKey.of('index');
  const tagged = { listId: list.id, keyName: serviceKey.name };
  await beginTags(database, tagged);
  for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
    const count = block.length / LEAF_RECORD_BYTES;
    for (let first = 0; first < count; first += AT_ONCE) {
      signal.throwIfAborted();
      const tags: Buffer[] = [];
      for (let place = first; place < Math.min(first + AT_ONCE, count); place++) {
        const from = place * LEAF_RECORD_BYTES;
        tags.push(tagOf(key, list.id % KEYS, block.subarray(from, from + ADDRESS_BYTES)));
      }
      await saveTags(database, tagged, number * BLOCK_RECIPIENTS + first, tags);
      await nextTurn();
    }
  }
  await markIndexed(database, tagged);
}

/** A recipient's tag under one of the keys. */
function tagOf(key: Uint8Array, number: number, address: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${number} `).update(address).digest().subarray(0, TAG_BYTES);
}
