import { createHmac } from 'node:crypto';
import type { Time } from '@payouts/client';
import { findServiceKey, saveNewServiceKey } from '../queries/serviceKeys.ts';
import type { Db } from '../schema.ts';
import { newListKey } from './cipher.ts';
import type { PayloadKeys } from './payloadKeys.ts';

/** The name of the key under which recipients are found and their withdrawals kept. */
const RECIPIENTS = 'recipients';

/** The additional data of a service key's encryption. */
export const serviceKeyPlace = (name: string): Uint8Array => Buffer.from(`service key ${name}`);

export type RecipientKeysInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly time: Pick<Time, 'now'>;
};

/** Keys that are drawn from the service's own one, which is made when it is first asked for and never leaves the process unwrapped. */
export class RecipientKeys {
  #key: Promise<Uint8Array> | undefined;

  constructor(private readonly input: RecipientKeysInput) {}

  /** The key for one use. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  async of(use: 'index' | 'withdrawal-tags' | 'withdrawals'): Promise<Uint8Array> {
    this.#key ??= this.#load().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return createHmac('sha256', await this.#key)
      .update(use)
      .digest();
  }

  async #load(): Promise<Uint8Array> {
    const { database, payloadKeys, time } = this.input;
    const known = await findServiceKey(database, RECIPIENTS);
    if (known === undefined) {
      const wrapped = await payloadKeys.wrap(newListKey(), serviceKeyPlace(RECIPIENTS));
      await saveNewServiceKey(database, RECIPIENTS, wrapped, time.now());
      return this.#load();
    }
    return payloadKeys.unwrap({ keyId: known.key_id, wrapped: known.wrapped_key }, serviceKeyPlace(RECIPIENTS));
  }
}
