import { createHmac, randomUUID } from 'node:crypto';
import { type AddressChangeJson, addressToBytes, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { paddedToBlock } from '../domain/padToBlock.ts';
import { decrypt, encrypt } from '../store/crypto/cipher.ts';
import { type RecipientKey, RecipientKeys, type RecipientKeysInput } from '../store/crypto/serviceKey.ts';
import {
  type AddressChangeRow,
  findAddressChangesKeyed,
  listAddressChanges,
  moveAddressChange,
  saveAddressChange,
} from '../store/queries/addressChanges.ts';

/** What a recipient wants, with both keys' signatures. */
type Content = Pick<AddressChangeJson, 'present' | 'next' | 'askedAt' | 'signatures'>;

export type AddressChangesInput = RecipientKeysInput & { readonly time: Pick<Time, 'now'> };

/**
 * Recipients' requests to be paid to another address, each with the employer whom it is for. A dump shows neither who asks nor which address
 * they want. What throws `PayloadKeys` throws, everything here does.
 */
export class AddressChanges {
  readonly #keys: RecipientKeys;

  constructor(private readonly input: AddressChangesInput) {
    this.#keys = new RecipientKeys(input);
  }

  /** Keeps a request; one that the recipient has made of this vault before is forgotten. */
  async add(of: { readonly employer: string; readonly vault: Address }, content: Content): Promise<string> {
    const { database, time } = this.input;
    const keys = await this.#keys.all();
    const [newest] = keys;
    const [id, tag] = [randomUUID(), tagOf(newest, of.vault, content.present)];
    const row = {
      id,
      tag,
      ...of,
      key_name: newest.name,
      content: sealed(newest, tag, content),
      created_at: time.now(),
    };
    await saveAddressChange(
      database,
      row,
      keys.map((key) => tagOf(key, of.vault, content.present)),
    );
    return id;
  }

  /** What an employer is asked for, oldest first. */
  async of(employer: Address): Promise<AddressChangeJson[]> {
    const { database, time } = this.input;
    const keys = await this.#keys.all();
    const rows = await listAddressChanges(database, employer, time.now());
    return rows.map((row) => ({ id: row.id, vault: row.vault as Address, ...opened(keys, row) }));
  }

  /** Keeps those under the newest key that are kept under a former one, some at a time; returns how many. None is left when it returns 0. */
  async renew(): Promise<number> {
    const { database } = this.input;
    const keys = await this.#keys.all();
    const [newest, ...former] = keys;
    const rows = await findAddressChangesKeyed(
      database,
      former.map(({ name }) => name),
    );
    for (const row of rows) {
      const content = opened(keys, row);
      const tag = tagOf(newest, row.vault, content.present);
      await moveAddressChange(database, row.tag, {
        tag,
        key_name: newest.name,
        content: sealed(newest, tag, content),
      });
    }
    return rows.length;
  }
}

const USE = 'address-changes';

function tagOf(key: RecipientKey, vault: string, recipient: Address): Buffer {
  return createHmac('sha256', key.of(USE)).update(addressToBytes(vault)).update(addressToBytes(recipient)).digest();
}

const sealed = (key: RecipientKey, tag: Uint8Array, content: Content): Uint8Array =>
  encrypt(key.of(USE), Buffer.from(paddedToBlock(JSON.stringify(content))), tag);

function opened(keys: readonly RecipientKey[], { tag, key_name: name, content }: AddressChangeRow): Content {
  const key = keys.find((one) => one.name === name) as RecipientKey;
  return JSON.parse(Buffer.from(decrypt(key.of(USE), content, tag)).toString()) as Content;
}
