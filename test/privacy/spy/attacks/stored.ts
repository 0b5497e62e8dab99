import { createHmac } from 'node:crypto';
import {
  addressFromBytes,
  addressToBytes,
  derivePageAddress,
  HASH_BYTES,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  paymentCodeOf,
  type Recipient,
} from '@payouts/client';
import {
  associatedData,
  codeOwner,
  DecryptionFailed,
  decrypt,
  ENTRY_BYTES,
  joinLiabilityChunk,
  keyPlace,
  listKey,
  localPayloadKeys,
  openLiabilityChunk,
  openRecord,
  ownersPlace,
  pagePlace,
  placeOfList,
  readEntry,
  recipientsOf,
  seedPlace,
  serviceKeyPlace,
  WrongPayloadKey,
} from '@payouts/coordinator/testing';
import type { Address } from '@solana/kit';
import type { Claim, Outcome } from '../claim.ts';
import type { Candidates, Evidence } from '../evidence.ts';
import { ownersOf } from '../owners.ts';
import { bytesOf, type Row, rowsOf } from '../tables.ts';

/** So many of a list are added up. */
const PART = 3;

/** Places of a page's leaves, and bytes in which a place stands. */
const PAGE_PLACES = 256;
const PLACE_BYTES = 4;

/** A part of a liabilities tree. */
type Part = { readonly bytes: Buffer; readonly number: bigint };

/** What the payload keys that are known open of dumps and backup: lists, what is owed, withdrawals, private transfers; as the service reads them. */
export async function stored(evidence: Evidence): Promise<Outcome> {
  const { payload, later } = evidence.keys;
  const known = [payload, later].flatMap((key) => (key === undefined ? [] : [Buffer.from(key.trim(), 'hex')]));
  const [first, ...others] = known;
  if (first === undefined) return { looked: 'no key', claims: [] };
  const dumps = [evidence.dump, evidence.backup, evidence.later];
  const safe = new Safe(localPayloadKeys(first, others), dumps, evidence.candidates, ownersOf(evidence).byOwner);
  const claims = [...(await safe.lists()), ...(await safe.owed())];
  return { looked: `${safe.opened} of ${safe.tried} rows opened with ${known.length} keys`, claims };
}

/** Rows of dumps, and the keys that may open them. A row that doesn't open is passed over. */
class Safe {
  opened = 0;
  tried = 0;
  /** Recipients by the owners of their balances: as far as salts can be guessed, and those that lists tell. */
  readonly #owners = new Map<string, string>();

  constructor(
    private readonly keys: ReturnType<typeof localPayloadKeys>,
    private readonly dumps: readonly Buffer[],
    private readonly candidates: Candidates,
    guessed: ReadonlyMap<string, { readonly recipient: string }>,
  ) {
    for (const [owner, { recipient }] of guessed) this.#owners.set(owner, recipient);
  }

  #rows(table: string): Row[] {
    const rows = this.dumps.flatMap((dump) => rowsOf(dump, table));
    return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
  }

  async #open<T>(open: () => T | Promise<T>): Promise<T[]> {
    this.tried += 1;
    try {
      const opened = await open();
      this.opened += 1;
      return [opened];
    } catch (error) {
      if (error instanceof DecryptionFailed || error instanceof WrongPayloadKey) return [];
      throw error;
    }
  }

  #unwrap(row: Row, place: Uint8Array): Promise<Uint8Array[]> {
    const wrapped = { keyId: row.key_id ?? '', wrapped: bytesOf(row, 'wrapped_key') };
    return this.#open(() => this.keys.unwrap(wrapped, place));
  }

  /** Who is in which list, at which place, for how much, and who is in two. */
  async lists(): Promise<Claim[]> {
    const claims: Claim[] = [];
    const entries = new Map<string, string>();
    const chunks = this.#rows('recipient_list_chunks');
    for (const row of this.#rows('recipient_lists').sort((a, b) => Number(a.id) - Number(b.id))) {
      const { id, schedule = '', root = '', key_id = '' } = row;
      const list = {
        schedule,
        root,
        recipients: Number(row.recipients),
        key_id,
        wrapped_key: bytesOf(row, 'wrapped_key'),
      };
      const keys = await this.#open(() => listKey(list, this.keys));
      for (const key of keys) {
        for (const chunk of chunks.filter((one) => one.list_id === id)) {
          const place = associatedData(placeOfList(list), Number(chunk.number));
          const blocks = await this.#open(() => decrypt(key, bytesOf(chunk, 'content'), place));
          for (const block of blocks) {
            const recipients = recipientsOf(block, Number(chunk.number));
            for (const one of recipients) this.#owners.set(addressFromBytes(ownerRecord(one).owner), one.recipient);
            claims.push(...listed(schedule, recipients, entries));
          }
        }
      }
    }
    return claims;
  }

  /** Who holds how much and where, and who took what to which wallet. */
  async owed(): Promise<Claim[]> {
    const claims: Claim[] = [];
    const certain = { isCertain: true } as const;
    for (const row of this.#rows('liability_trees')) {
      const { mint = '' } = row;
      for (const key of await this.#unwrap(row, keyPlace(mint))) {
        claims.push(...(await this.#codes(row, key)));
        for (const entries of await this.#trees(mint, key)) {
          for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
            const { kind, who, amount } = readEntry(entries, at);
            const subject = kind === 'balance' ? this.#owners.get(addressFromBytes(who)) : undefined;
            if (subject === undefined) continue;
            claims.push({ kind: 'holds', subject, object: mint, amount: String(amount), ...certain });
          }
        }
        claims.push(...(await this.#places(mint as Address, key)));
      }
    }
    for (const row of this.#rows('service_keys')) {
      for (const key of await this.#unwrap(row, serviceKeyPlace(row.name ?? ''))) {
        const own = createHmac('sha256', key).update('withdrawals').digest();
        for (const kept of this.#rows('withdrawals')) {
          const records = await this.#open(() => openRecord(own, bytesOf(kept, 'tag'), bytesOf(kept, 'content')));
          for (const record of records) claims.push(...toldBy(record));
        }
      }
    }
    return claims;
  }

  /** Whose published codes are, by what all codes of a token follow from. */
  async #codes(row: Row, key: Uint8Array): Promise<Claim[]> {
    const { addresses, codes } = this.candidates;
    const claims: Claim[] = [];
    for (const seed of await this.#open(() => decrypt(key, bytesOf(row, 'seed'), seedPlace(row.mint ?? '')))) {
      for (const subject of addresses) {
        const { owner } = codeOwner(seed, subject as Address);
        const object = paymentCodeOf(owner);
        if (!codes.includes(object)) continue;
        this.#owners.set(addressFromBytes(owner), subject);
        claims.push({ kind: 'code', subject, object, isCertain: true });
      }
    }
    return claims;
  }

  /** In which page and slot the balances of owners are who are known. */
  async #places(mint: Address, key: Uint8Array): Promise<Claim[]> {
    const pages = new Map<number, string>();
    for (const row of this.#rows('balance_pages').filter((one) => one.mint === mint)) {
      const number = Number(row.number);
      for (const nonce of await this.#open(() => decrypt(key, bytesOf(row, 'content'), pagePlace(mint, number)))) {
        pages.set(number, derivePageAddress(mint, nonce, PAYOUT_LEDGER_PROGRAM_ADDRESS).address);
      }
    }
    const claims: Claim[] = [];
    for (const row of this.#rows('balance_owners').filter((one) => one.mint === mint)) {
      const place = ownersPlace(mint, row.vault ?? '', Number(row.part));
      for (const opened of await this.#open(() => decrypt(key, bytesOf(row, 'content'), place))) {
        const entries = Buffer.from(opened);
        for (let at = 0; at < entries.length; at += HASH_BYTES + PLACE_BYTES) {
          const subject = this.#owners.get(addressFromBytes(entries.subarray(at, at + HASH_BYTES)));
          const found = entries.readUInt32LE(at + HASH_BYTES);
          const page = pages.get(Math.floor(found / PAGE_PLACES));
          if (subject === undefined || page === undefined) continue;
          claims.push({ kind: 'place', subject, object: `${page} ${found % PAGE_PLACES}`, isCertain: true });
        }
      }
    }
    return claims;
  }

  /** The entries of a token's tree as it was recorded last. */
  async #trees(mint: string, key: Uint8Array): Promise<Buffer[]> {
    const latest = new Map<string, Part>();
    for (const row of this.#rows('liability_chunks').filter((one) => one.mint === mint)) {
      const [part, number, chunk] = [row.part, BigInt(row.number ?? 0), Number(row.chunk)];
      // Withdrawals that are to be paid name no balance and no recipient; what they say is public once they are paid.
      if (part !== 'who' && part !== 'what') continue;
      const known = latest.get(`${chunk} ${part}`);
      if (known !== undefined && known.number > number) continue;
      const opened = await this.#open(() =>
        openLiabilityChunk(key, bytesOf(row, 'content'), { mint, chunk, part, number }),
      );
      for (const bytes of opened) latest.set(`${chunk} ${part}`, { bytes, number });
    }
    return [...latest].flatMap(([name, who]) => {
      const what = name.endsWith(' who') ? latest.get(name.replace('who', 'what')) : undefined;
      return what === undefined ? [] : [joinLiabilityChunk(who.bytes, what.bytes)];
    });
  }
}

/** What a list says; `entries`: who was seen where before. */
function listed(schedule: string, recipients: readonly Recipient[], entries: Map<string, string>): Claim[] {
  const claims: Claim[] = [];
  const certain = { isCertain: true } as const;
  const few = recipients.slice(0, PART);
  const amount = String(few.reduce((sum, one) => sum + one.amount, 0n));
  claims.push({ kind: 'part-sum', subject: schedule, object: `the first ${few.length}`, amount, ...certain });
  for (const { recipient, amount, index } of recipients) {
    claims.push({ kind: 'paid-by', subject: recipient, object: schedule, amount: String(amount), ...certain });
    const entry = `${schedule} ${index}`;
    const former = entries.get(recipient);
    if (former === undefined) entries.set(recipient, entry);
    else if (!former.startsWith(schedule)) claims.push({ kind: 'same', subject: former, object: entry, ...certain });
    for (const other of recipients.slice(index + 1)) {
      const [subject, object] = [recipient, other.recipient];
      const isSeen = entries.has(`${object} ${subject} ${schedule}`);
      entries.set(`${subject} ${object} ${schedule}`, entry);
      if (!isSeen) claims.push({ kind: 'order', subject, object, within: schedule, ...certain });
    }
  }
  return claims;
}

/** Who took what to which wallet, or paid it to which code; a payee's side names nobody. */
function toldBy(record: ReturnType<typeof openRecord>): Claim[] {
  const { recipient: subject } = record;
  const amount = String(record.amount);
  if ('wallet' in record) return [{ kind: 'owns-wallet', subject, object: record.wallet, amount, isCertain: true }];
  if (subject === record.code) return [];
  const object = paymentCodeOf(addressToBytes(record.code));
  return [{ kind: 'paid-inside', subject, object, amount, isCertain: true }];
}
