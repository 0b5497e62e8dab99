import { createHmac } from 'node:crypto';
import type { Time } from '@payouts/client';
import { listServiceKeys, saveNewServiceKey } from '../queries/serviceKeys.ts';
import type { Db } from '../schema.ts';
import { newListKey } from './cipher.ts';
import type { PayloadKeys } from './payloadKeys.ts';

/** What the names of the keys begin with under which recipients are found and their withdrawals kept; a number follows. */
const RECIPIENTS = 'recipients ';

const numberOf = (name: string): number => Number(name.slice(RECIPIENTS.length));

/** The additional data of a service key's encryption. */
export const serviceKeyPlace = (name: string): Uint8Array => Buffer.from(`service key ${name}`);

export type RecipientKeysInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly time: Pick<Time, 'now'>;
};

/** What a service key is used for: each use has a key of its own. */
export type KeyUse = 'index' | 'lists' | 'withdrawal-tags' | 'withdrawals' | 'notices' | 'address-changes';

/** A service key by its name, with what is drawn from it. */
export type RecipientKey = { readonly name: string; readonly of: (use: KeyUse) => Uint8Array };

/**
 * The service's own keys, which never leave the process unwrapped: one, which is made when it is first asked for; during a renewal the former
 * ones, too, until nothing is kept under them any more.
 */
export class RecipientKeys {
  /** A name's key never changes. */
  readonly #opened = new Map<string, RecipientKey>();

  constructor(private readonly input: RecipientKeysInput) {}

  /** All of them, the newest first. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  async all(): Promise<[RecipientKey, ...RecipientKey[]]> {
    const { database } = this.input;
    const stored = await listServiceKeys(database, RECIPIENTS);
    const keys: RecipientKey[] = [];
    for (const row of stored.toSorted((a, b) => numberOf(b.name) - numberOf(a.name))) keys.push(await this.#open(row));
    const [newest, ...former] = keys;
    if (newest !== undefined) return [newest, ...former];
    await this.begin(0);
    return this.all();
  }

  /** Makes the key behind the one of a number, unless there is one. */
  async begin(behind: number): Promise<void> {
    const { database, payloadKeys, time } = this.input;
    const name = `${RECIPIENTS}${behind + 1}`;
    const wrapped = await payloadKeys.wrap(newListKey(), serviceKeyPlace(name));
    await saveNewServiceKey(database, name, wrapped, time.now());
  }

  /** Makes a key behind all others if the newest is not wrapped by the present payload key. */
  async renew(): Promise<void> {
    const { database, payloadKeys } = this.input;
    const stored = await listServiceKeys(database, RECIPIENTS);
    const newest = stored.toSorted((a, b) => numberOf(b.name) - numberOf(a.name))[0];
    if (newest !== undefined && newest.key_id !== payloadKeys.currentId) await this.begin(numberOf(newest.name));
  }

  async #open(row: { readonly name: string; readonly key_id: string; readonly wrapped_key: Uint8Array }) {
    const known = this.#opened.get(row.name);
    if (known !== undefined) return known;
    const stored = { keyId: row.key_id, wrapped: row.wrapped_key };
    const key = await this.input.payloadKeys.unwrap(stored, serviceKeyPlace(row.name));
    const drawn = new Map<KeyUse, Uint8Array>();
    const of = (use: KeyUse): Uint8Array => {
      const one = drawn.get(use) ?? createHmac('sha256', key).update(use).digest();
      drawn.set(use, one);
      return one;
    };
    const opened = { name: row.name, of };
    this.#opened.set(row.name, opened);
    return opened;
  }
}
