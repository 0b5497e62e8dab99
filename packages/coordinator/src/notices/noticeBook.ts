import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { CODE_LETTERS, codeOf, type Time, typedCode } from '@payouts/client';
import type { Address } from '@solana/kit';
import {
  type ChatFormat,
  CODE_MS,
  isTimedByLedger,
  type NoticeDetails,
  type NoticeType,
  type RecipientNotice,
  WAITING_PLAIN,
  WAITING_WITH_DETAILS,
} from '../domain/notice.ts';
import { newListKey } from '../store/crypto/cipher.ts';
import { RecipientKeys, type RecipientKeysInput } from '../store/crypto/serviceKey.ts';
import {
  type NoticeContent,
  openNotice,
  type RecipientDetails,
  sealContent,
  sealDetails,
  webhookKeyPlace,
} from '../store/crypto/webhookSeal.ts';
import {
  addNotice,
  addRecipientMessage,
  confirmNotice,
  findNotice,
  findNoticesOf,
  listNotices,
  type NoticeLimit,
  type RecipientMessage,
  removeUnsubscribed,
} from '../store/queries/notices.ts';
import { removeWebhook, type WebhookEndpoint } from '../store/queries/webhooks.ts';
import { ifReadable } from './ifReadable.ts';
import { addressTag, ownerTag, ownerTags } from './ownerTags.ts';

const TOKEN_BYTES = 32;

/** What a person wants to be told of, and where. */
export type WantedNotice = {
  readonly owner: Address;
  readonly to: string;
  /** Null: by e-mail. */
  readonly format: ChatFormat | null;
  /** An employer's vault; null: of a recipient's own money. */
  readonly vault: string | null;
  readonly schedule: string | null;
  readonly types: readonly NoticeType[];
  readonly details: NoticeDetails;
};

/** A notice, opened. */
export type OpenedNotice = { readonly row: WebhookEndpoint; readonly content: NoticeContent };

export type NoticeBookInput = RecipientKeysInput & {
  readonly time: Pick<Time, 'now' | 'random'>;
  /** Milliseconds within which a notice leaves whose moment the base ledger shows. */
  readonly spreadMs: number;
};

/** SHA-256 of what an unsubscribe link has: a dump of the database ends nobody's notices. */
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Where people are told what has happened, by e-mail or chat. A dump shows neither whose notices they are nor where they go. What throws `PayloadKeys`
 * throws, everything here does.
 */
export class NoticeBook {
  readonly #keys: RecipientKeys;

  constructor(private readonly input: NoticeBookInput) {
    this.#keys = new RecipientKeys(input);
  }

  /** Keeps a notice, to an e-mail address after its code was sent back; or what there are too many of. */
  async add({ owner, to, format, details, types, vault, schedule }: WantedNotice): Promise<OpenedNotice | NoticeLimit> {
    const { database, payloadKeys, time } = this.input;
    const keys = await this.#keys.all();
    const [newest] = keys;
    const isMail = format === null;
    const now = time.now();
    const id = randomUUID();
    const key = newListKey();
    const { keyId, wrapped } = await payloadKeys.wrap(key, webhookKeyPlace({ id }));
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const code = isMail ? codeOf(randomBytes(CODE_LETTERS)) : null;
    const content: NoticeContent = { owner, to, format, details, code, token };
    const row = {
      id,
      kind: isMail ? ('mail' as const) : ('chat' as const),
      vault,
      schedule,
      types: [...types],
      owner: ownerTag(newest, owner),
      owner_key: newest.name,
      unsubscribe_hash: hashOf(token),
      most_waiting: details === 'none' ? WAITING_PLAIN : WAITING_WITH_DETAILS,
      next_from: '0',
      content: sealContent(key, { id }, content),
      wrapped_key: wrapped,
      key_id: keyId,
      created_at: String(now),
      failing_since: null,
      disabled_at: isMail ? String(now) : null,
      disabled_why: isMail ? ('unconfirmed' as const) : null,
    };
    const address = isMail ? addressTag(newest, to) : undefined;
    const limit = await addNotice(database, { row, owners: ownerTags(keys, owner), address, now });
    return limit ?? { row: { ...row, former_marks: [] }, content };
  }

  /** Whose they are, oldest first. */
  async of(owner: Address): Promise<OpenedNotice[]> {
    const rows = await listNotices(this.input.database, ownerTags(await this.#keys.all(), owner));
    return Promise.all(rows.map((row) => this.#open(row)));
  }

  /** One of them. */
  async find(owner: Address, id: string): Promise<OpenedNotice | undefined> {
    const row = await findNotice(this.input.database, ownerTags(await this.#keys.all(), owner), id);
    return row && this.#open(row);
  }

  /** Has a notice sent from now on, if this is the code that its address was sent; false if not, or if it is too late. */
  async confirm({ row, content }: OpenedNotice, code: string): Promise<boolean> {
    const { database, time } = this.input;
    if (row.disabled_why !== 'unconfirmed') return row.disabled_at === null;
    const isLate = time.now() >= Number(row.created_at) + CODE_MS;
    if (isLate || !timingSafeEqual(hashOf(typedCode(code)), hashOf(content.code ?? ''))) return false;
    await confirmNotice(database, row.id);
    return true;
  }

  /** Forgets a notice, and where it went, at once. */
  async remove({ row }: OpenedNotice): Promise<void> {
    await removeWebhook(this.input.database, row.id);
  }

  /** The same by an unsubscribe link; whether there was one is told nobody. */
  async unsubscribe(token: string): Promise<void> {
    await removeUnsubscribed(this.input.database, hashOf(token));
  }

  /** Has a recipient told that something has happened to their money, if they want to be; returns at how many addresses. */
  async tell(recipient: Address, type: RecipientNotice, details?: RecipientDetails): Promise<number> {
    const messages = await this.messagesFor(type, new Map([[recipient, details]]));
    for (const message of messages) await addRecipientMessage(this.input.database, message);
    return messages.length;
  }

  /** Messages for those of these recipients who want to be told, each with what happened to them. */
  async messagesFor(
    type: RecipientNotice,
    told: ReadonlyMap<Address, RecipientDetails | undefined>,
  ): Promise<RecipientMessage[]> {
    const keys = await this.#keys.all();
    const tags = [...told.keys()].flatMap((recipient) => ownerTags(keys, recipient));
    const rows = await findNoticesOf(this.input.database, tags, type);
    const messages: RecipientMessage[] = [];
    for (const row of rows) {
      const message = await ifReadable(() => this.#messageFor(row, type, told));
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  async #messageFor(
    row: WebhookEndpoint,
    type: RecipientNotice,
    told: ReadonlyMap<string, RecipientDetails | undefined>,
  ): Promise<RecipientMessage> {
    const { payloadKeys, time, spreadMs } = this.input;
    const { key, content } = await openNotice(payloadKeys, row);
    const details = content.details === 'amounts' ? told.get(content.owner) : undefined;
    return {
      endpointId: row.id,
      type,
      at: time.now() + (isTimedByLedger(type) ? Math.floor(time.random() * spreadMs) : 0),
      sealed: details === undefined ? null : sealDetails(key, row, details),
    };
  }

  async #open(row: WebhookEndpoint): Promise<OpenedNotice> {
    return { row, content: (await openNotice(this.input.payloadKeys, row)).content };
  }
}
