import { createHmac } from 'node:crypto';
import { addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type RecipientKey, RecipientKeys, type RecipientKeysInput } from '../store/crypto/serviceKey.ts';
import {
  addWithdrawal,
  changeWithdrawal,
  findWithdrawals,
  findWithdrawalsKeyed,
  firstMonth,
  moveWithdrawal,
} from '../store/queries/withdrawals.ts';
import type { Db } from '../store/schema.ts';
import { isWithdrawal, type KeptRecord, openRecord, rankOf, sealRecord } from './keptRecord.ts';

const TAG_BYTES = 16;
/** Tags of a month that are asked for at first: few have more withdrawals in one. */
const AT_FIRST = 4;
/** Months that are looked at, at most. */
const MOST_MONTHS = 120;

/** A kept withdrawal, or one side of a private transfer, and where it is kept. */
export type Kept<One extends KeptRecord = KeptRecord> = {
  readonly tag: Buffer;
  readonly keyName: string;
  readonly record: One;
};

/** The month of a moment (unix milliseconds, UTC) as it is kept: year × 12 + month from 0. */
export function monthOf(at: number): number {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/**
 * Recipients' withdrawals and private transfers at rest. Each has a tag of its own, a keyed hash of recipient, month and its place among that
 * recipient's of the month: who knows the key finds all of a recipient's, and a dump shows of no two that they belong together. What is paid to
 * a code is kept under the code's owner, so nothing that is kept names who has the code.
 */
export class WithdrawalBook {
  readonly #database: Db;
  readonly #keys: RecipientKeys;

  constructor(input: RecipientKeysInput) {
    this.#database = input.database;
    this.#keys = new RecipientKeys(input);
  }

  /**
   * A recipient's, or those of a payment code by its owner, each once, that were first seen in the month of `until` (unix milliseconds) or
   * before. Throws as `PayloadKeys`.
   */
  async of(recipient: Address, until: number): Promise<Kept[]> {
    const first = await firstMonth(this.#database);
    if (first === undefined) return [];
    const last = monthOf(until);
    let months = Array.from({ length: Math.max(0, last - first + 1) }, (_, back) => last - back).slice(0, MOST_MONTHS);
    const kept: Kept[] = [];
    for (let [from, count] = [0, AT_FIRST]; months.length > 0; [from, count] = [from + count, count * 2]) {
      const found = await this.#read(recipient, months, from, count);
      for (const some of found.values()) kept.push(...some);
      months = months.filter((month) => found.get(month)?.length === count);
    }
    return eachOnce(kept);
  }

  /** Keeps one that is not kept yet. Throws as `PayloadKeys`. */
  async add<One extends KeptRecord>(record: One): Promise<Kept<One>> {
    const { recipient, seenAt } = record;
    const month = monthOf(seenAt);
    const [key] = await this.#keys.all();
    for (let place = await this.#countOf(recipient, month); ; place++) {
      const tag = tagOf(key, recipient, month, place);
      const content = sealRecord(key.of('withdrawals'), tag, record);
      // Another process may have kept one of another token meanwhile.
      if (await addWithdrawal(this.#database, { tag, month, key_name: key.name, content })) {
        return { tag, keyName: key.name, record };
      }
    }
  }

  /** Keeps what is known of a kept one now; false if it is not in that place any more. */
  async change({ tag, keyName, record }: Kept): Promise<boolean> {
    const key = (await this.#keys.all()).find(({ name }) => name === keyName);
    if (key === undefined) return false;
    return changeWithdrawal(this.#database, tag, sealRecord(key.of('withdrawals'), tag, record));
  }

  /**
   * Keeps those under the newest key that are kept under a former one, some at a time; returns how many. None is left when it returns
   * 0. Throws as `PayloadKeys`.
   */
  async renew(): Promise<number> {
    const [newest, ...former] = await this.#keys.all();
    const rows = await findWithdrawalsKeyed(
      this.#database,
      former.map(({ name }) => name),
    );
    for (const { tag, month, content, key_name } of rows) {
      const key = former.find(({ name }) => name === key_name) as RecipientKey;
      const record = openRecord(key.of('withdrawals'), tag, content);
      let place = 0;
      while (!tagOf(key, record.recipient, month, place).equals(tag)) place += 1;
      for (let isMoved = false; !isMoved; place++) {
        const moved = tagOf(newest, record.recipient, month, place);
        const sealed = sealRecord(newest.of('withdrawals'), moved, record);
        isMoved = await moveWithdrawal(
          this.#database,
          { tag, content },
          { tag: moved, key_name: newest.name, content: sealed },
        );
      }
    }
    return rows.length;
  }

  async #countOf(recipient: Address, month: number): Promise<number> {
    for (let [from, count] = [0, AT_FIRST]; ; [from, count] = [from + count, count * 2]) {
      const found = (await this.#read(recipient, [month], from, count)).get(month)?.length ?? 0;
      if (found < count) return from + found;
    }
  }

  /** Of each month those at places `from` to `from + count`, under whatever key. */
  async #read(
    recipient: Address,
    months: readonly number[],
    from: number,
    count: number,
  ): Promise<Map<number, Kept[]>> {
    const placeOfTag = new Map<string, { readonly month: number; readonly key: RecipientKey }>();
    const tags: Buffer[] = [];
    for (const key of await this.#keys.all()) {
      for (const month of months) {
        for (let place = from; place < from + count; place++) {
          const tag = tagOf(key, recipient, month, place);
          placeOfTag.set(tag.toString('hex'), { month, key });
          tags.push(tag);
        }
      }
    }
    const found = new Map<number, Kept[]>();
    for (const row of await findWithdrawals(this.#database, tags)) {
      const tag = Buffer.from(row.tag);
      const { month, key } = placeOfTag.get(tag.toString('hex')) as { month: number; key: RecipientKey };
      const record = openRecord(key.of('withdrawals'), tag, row.content);
      found.set(month, [...(found.get(month) ?? []), { tag, keyName: key.name, record }]);
    }
    return found;
  }
}

/** Two processes that saw a withdrawal at the same moment have kept it in two places: the record that got furthest stands for both. */
function eachOnce(kept: readonly Kept[]): Kept[] {
  const furthest = new Map<string, Kept>();
  for (const each of kept) {
    const { tag, record } = each;
    const key = isWithdrawal(record) ? `${record.mint} ${record.number}` : tag.toString('hex');
    const known = furthest.get(key)?.record;
    if (known === undefined || rankOf(record.state) > rankOf(known.state)) furthest.set(key, each);
  }
  return [...furthest.values()];
}

function tagOf(key: RecipientKey, recipient: Address, month: number, place: number): Buffer {
  const hash = createHmac('sha256', key.of('withdrawal-tags')).update(`${month} ${place} `);
  return hash.update(addressToBytes(recipient)).digest().subarray(0, TAG_BYTES);
}
