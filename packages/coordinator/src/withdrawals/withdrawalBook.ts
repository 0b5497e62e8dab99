import { createHmac } from 'node:crypto';
import { addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import { RecipientKeys, type RecipientKeysInput } from '../store/crypto/serviceKey.ts';
import { addWithdrawal, changeWithdrawal, findWithdrawals, firstMonth } from '../store/queries/withdrawals.ts';
import type { Db } from '../store/schema.ts';
import { openWithdrawal, sealWithdrawal, type WithdrawalRecord } from './withdrawalRecord.ts';

const TAG_BYTES = 16;
/** Tags of a month that are asked for at first: few have more withdrawals in one. */
const AT_FIRST = 4;
/** Months that are looked at, at most. */
const MOST_MONTHS = 120;

/** A kept withdrawal and where it is kept. */
export type KeptWithdrawal = { readonly tag: Buffer; readonly record: WithdrawalRecord };

/** The month of a moment (unix milliseconds, UTC) as it is kept: year × 12 + month from 0. */
export function monthOf(at: number): number {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/**
 * Recipients' withdrawals at rest. Each has a tag of its own, a keyed hash of recipient, month and its place among that recipient's of the
 * month: who knows the key finds all of a recipient's, and a dump shows of no two that they belong together.
 */
export class WithdrawalBook {
  readonly #database: Db;
  readonly #keys: RecipientKeys;

  constructor(input: RecipientKeysInput) {
    this.#database = input.database;
    this.#keys = new RecipientKeys(input);
  }

  /** A recipient's withdrawals that were first seen in the month of `until` (unix milliseconds) or before. Throws as `PayloadKeys`. */
  async of(recipient: Address, until: number): Promise<KeptWithdrawal[]> {
    const first = await firstMonth(this.#database);
    if (first === undefined) return [];
    const last = monthOf(until);
    let months = Array.from({ length: Math.max(0, last - first + 1) }, (_, back) => last - back).slice(0, MOST_MONTHS);
    const kept: KeptWithdrawal[] = [];
    for (let [from, count] = [0, AT_FIRST]; months.length > 0; [from, count] = [from + count, count * 2]) {
      const found = await this.#read(recipient, months, from, count);
      for (const some of found.values()) kept.push(...some);
      months = months.filter((month) => found.get(month)?.length === count);
    }
    return kept;
  }

  /** Keeps a withdrawal that is not kept yet; returns where. Throws as `PayloadKeys`. */
  async add(recipient: Address, record: WithdrawalRecord): Promise<Buffer> {
    const month = monthOf(record.seenAt);
    const [tags, key] = [await this.#keys.of('withdrawal-tags'), await this.#keys.of('withdrawals')];
    for (let place = await this.#countOf(recipient, month); ; place++) {
      const tag = tagOf(tags, recipient, month, place);
      const content = sealWithdrawal(key, tag, record);
      // Another process may have kept one of another token meanwhile.
      if (await addWithdrawal(this.#database, { tag, month, content })) return tag;
    }
  }

  /** Keeps what is known of a kept withdrawal now. */
  async change({ tag, record }: KeptWithdrawal): Promise<void> {
    await changeWithdrawal(this.#database, tag, sealWithdrawal(await this.#keys.of('withdrawals'), tag, record));
  }

  async #countOf(recipient: Address, month: number): Promise<number> {
    for (let [from, count] = [0, AT_FIRST]; ; [from, count] = [from + count, count * 2]) {
      const found = (await this.#read(recipient, [month], from, count)).get(month)?.length ?? 0;
      if (found < count) return from + found;
    }
  }

  /** Of each month the withdrawals at places `from` to `from + count`. */
  async #read(
    recipient: Address,
    months: readonly number[],
    from: number,
    count: number,
  ): Promise<Map<number, KeptWithdrawal[]>> {
    const [tagKey, key] = [await this.#keys.of('withdrawal-tags'), await this.#keys.of('withdrawals')];
    const monthOfTag = new Map<string, number>();
    const tags = months.flatMap((month) =>
      Array.from({ length: count }, (_, place) => {
        const tag = tagOf(tagKey, recipient, month, from + place);
        monthOfTag.set(tag.toString('hex'), month);
        return tag;
      }),
    );
    const found = new Map<number, KeptWithdrawal[]>();
    for (const row of await findWithdrawals(this.#database, tags)) {
      const tag = Buffer.from(row.tag);
      const month = monthOfTag.get(tag.toString('hex')) as number;
      found.set(month, [...(found.get(month) ?? []), { tag, record: openWithdrawal(key, tag, row.content) }]);
    }
    return found;
  }
}

function tagOf(key: Uint8Array, recipient: Address, month: number, place: number): Buffer {
  const hash = createHmac('sha256', key).update(`${month} ${place} `).update(addressToBytes(recipient));
  return hash.digest().subarray(0, TAG_BYTES);
}
