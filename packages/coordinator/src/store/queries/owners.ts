import { LEAF_TERMS_BYTES, nextTurn } from '@payouts/client';
import { sql } from 'kysely';
import { OWNER_ENTRY_BYTES, OwnerIndex, placesOf } from '../../domain/ownerIndex.ts';
import { decrypt, encrypt } from '../crypto/cipher.ts';
import { ownersPlace } from '../crypto/liabilityChunks.ts';
import type { PayloadKeys } from '../crypto/payloadKeys.ts';
import type { Db } from '../schema.ts';
import { findTreeKey } from './liabilities.ts';

/** Vault of owners who were found in the layer's pages. A part for each first byte of an owner: one is found without all others. */
const FOUND = '';
const FOUND_PARTS = 256;
/** Vaults of owners whom payment codes name, one for each first byte of an owner. */
const codesOf = (owner: Uint8Array): string => `payment codes ${owner[0] as number}`;
/** Parts in one statement: of a million owners, some megabytes. */
const PARTS_AT_ONCE = 32;

/** A token, and the key of its tree. */
type Of = { readonly mint: string; readonly key: Uint8Array };

/** Owners of vaults' lists and those that were found in the layer; and in how many parts each vault's are kept. */
export type KnownOwners = { readonly index: OwnerIndex; readonly parts: ReadonlyMap<string, number> };

/** The owners whom these vaults' lists may pay; `expected`: about how many more there will be. Throws `DecryptionFailed`. */
export async function readOwners(
  transaction: Db,
  { mint, key, vaults, expected }: Of & { readonly vaults: readonly string[]; readonly expected: number },
): Promise<KnownOwners> {
  const rows = await transaction
    .selectFrom('balance_owners')
    .select(['vault', 'part', 'content'])
    .where('mint', '=', mint)
    .where('vault', 'in', [FOUND, ...vaults])
    .orderBy('vault')
    .orderBy('part')
    .execute();
  const index = openOwners(rows, { mint, key, expected });
  const parts = new Map<string, number>();
  for (const { vault } of rows) parts.set(vault, (parts.get(vault) ?? 0) + 1);
  return { index, parts };
}

/** What parts say. Throws `DecryptionFailed`. */
function openOwners(
  rows: readonly { readonly vault: string; readonly part: number; readonly content: Uint8Array }[],
  { mint, key, expected }: Of & { readonly expected: number },
): OwnerIndex {
  const opened = rows.map((row) => decrypt(key, row.content, ownersPlace(mint, row.vault, row.part)));
  const entries = opened.reduce((sum, { length }) => sum + length / OWNER_ENTRY_BYTES, 0);
  const index = new OwnerIndex(entries + expected);
  for (const part of opened) index.addAll(part);
  return index;
}

/**
 * Takes over from other vaults whom lists pay, too, by the terms of their leaves: lists of two employers may have the same salts, and an owner
 * has one balance. Works in slices of some milliseconds. Throws `DecryptionFailed`.
 */
export async function findElsewhere(
  transaction: Db,
  { mint, key, vaults }: Of & { readonly vaults: readonly string[] },
  lists: readonly Uint8Array[],
  index: OwnerIndex,
): Promise<void> {
  const others = transaction
    .selectFrom('balance_owners')
    .selectAll()
    .where('mint', '=', mint)
    .where('vault', 'not in', [FOUND, ...vaults])
    .orderBy('vault')
    .orderBy('part')
    .limit(PARTS_AT_ONCE);
  let rows = await others.execute();
  if (rows.length === 0) return;
  const missing = new OwnerIndex(0);
  for (const terms of lists) {
    for (let at = 0; at < terms.length; at += LEAF_TERMS_BYTES) {
      if (index.placeOf(terms, at) === undefined) missing.entryOf(terms, at);
    }
  }
  while (missing.count > 0 && rows.length > 0) {
    for (const row of rows) {
      takeFrom(decrypt(key, row.content, ownersPlace(mint, row.vault, row.part)), missing, index);
      await nextTurn();
    }
    const { vault: last, part } = rows.at(-1) as (typeof rows)[number];
    rows = await others.where(sql<boolean>`(vault, part) > (${last}, ${part})`).execute();
  }
}

/** Takes entries into an index whose owners are wanted. */
function takeFrom(entries: Uint8Array, wanted: OwnerIndex, index: OwnerIndex): void {
  let at = 0;
  for (const place of placesOf(entries)) {
    if (wanted.placeOf(entries, at) !== undefined) index.set(entries, at, place);
    at += OWNER_ENTRY_BYTES;
  }
}

/** Keeps further owners of a vault's lists: owner 32 ‖ place u32 each. */
export async function saveOwners(
  transaction: Db,
  { mint, key, vault, part }: Of & { readonly vault: string; readonly part: number },
  entries: Uint8Array,
): Promise<void> {
  const content = encrypt(key, entries, ownersPlace(mint, vault, part));
  await transaction.insertInto('balance_owners').values({ mint, vault, part, content }).execute();
}

/**
 * Takes over whom the layer's pages show: owner 32 ‖ place u32 each. What is kept of vaults' owners against it is forgotten: another place of
 * an owner who is found, and a place that another owner has.
 */
export async function adoptOwners(transaction: Db, { mint, key }: Of, entries: Uint8Array): Promise<void> {
  await transaction.deleteFrom('balance_owners').where('mint', '=', mint).where('vault', '=', FOUND).execute();
  const rows = [...byFirstByte(entries)].map(([part, content]) => {
    return { mint, vault: FOUND, part, content: encrypt(key, content, ownersPlace(mint, FOUND, part)) };
  });
  for (let first = 0; first < rows.length; first += PARTS_AT_ONCE) {
    const some = rows.slice(first, first + PARTS_AT_ONCE);
    await transaction.insertInto('balance_owners').values(some).execute();
  }
  const found = new OwnerIndex(entries.length / OWNER_ENTRY_BYTES);
  found.addAll(entries);
  const taken = new Set(placesOf(entries));
  const kept = await transaction
    .selectFrom('balance_owners')
    .selectAll()
    .where('mint', '=', mint)
    .where('vault', '<>', FOUND)
    .execute();
  for (const { vault, part, content } of kept) {
    const place = ownersPlace(mint, vault, part);
    const before = decrypt(key, content, place);
    const after = withoutContradictions(before, found, taken);
    if (after.length === before.length) continue;
    await transaction
      .updateTable('balance_owners')
      .set({ content: encrypt(key, after, place) })
      .where('mint', '=', mint)
      .where('vault', '=', vault)
      .where('part', '=', part)
      .execute();
  }
}

/** Where an owner (32 bytes) was found in the layer's pages, if they were taken over. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function findAdopted(
  database: Db,
  payloadKeys: PayloadKeys,
  mint: string,
  owner: Uint8Array,
): Promise<number | undefined> {
  const part = owner[0] as number;
  const row = await database
    .selectFrom('balance_owners')
    .select('content')
    .where('mint', '=', mint)
    .where('vault', '=', FOUND)
    .where('part', '=', part)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const tree = await findTreeKey(database, mint, payloadKeys);
  if (tree === undefined) return undefined;
  const entries = decrypt(tree.key, row.content, ownersPlace(mint, FOUND, part));
  const index = new OwnerIndex(entries.length / OWNER_ENTRY_BYTES);
  index.addAll(entries);
  return index.placeOf(owner, 0);
}

/** Where the balance of a payment code is (its owner, 32 bytes); undefined: it has no place. Throws `DecryptionFailed`. */
export async function findPaid(database: Db, { mint, key }: Of, owner: Uint8Array): Promise<number | undefined> {
  const rows = await database
    .selectFrom('balance_owners')
    .select(['vault', 'part', 'content'])
    .where('mint', '=', mint)
    .where(({ eb, or, and }) =>
      or([eb('vault', '=', codesOf(owner)), and([eb('vault', '=', FOUND), eb('part', '=', owner[0] as number)])]),
    )
    .execute();
  return openOwners(rows, { mint, key, expected: 0 }).placeOf(owner, 0);
}

/** Keeps where the balance of a payment code is. */
export async function savePaid(transaction: Db, { mint, key }: Of, owner: Uint8Array, place: number): Promise<void> {
  const vault = codesOf(owner);
  const { part } = await transaction
    .selectFrom('balance_owners')
    .select(({ fn }) => fn.max('part').as('part'))
    .where('mint', '=', mint)
    .where('vault', '=', vault)
    .executeTakeFirstOrThrow();
  const entry = Buffer.alloc(OWNER_ENTRY_BYTES);
  entry.set(owner);
  entry.writeUInt32LE(place, owner.length);
  await saveOwners(transaction, { mint, key, vault, part: (part ?? -1) + 1 }, entry);
}

/** Entries by the first byte of their owners. */
function byFirstByte(entries: Uint8Array): Map<number, Buffer> {
  const sizes = new Array<number>(FOUND_PARTS).fill(0);
  for (let at = 0; at < entries.length; at += OWNER_ENTRY_BYTES) {
    const part = entries[at] as number;
    sizes[part] = (sizes[part] as number) + OWNER_ENTRY_BYTES;
  }
  const parts = new Map<number, Buffer>();
  for (const [part, size] of sizes.entries()) if (size > 0) parts.set(part, Buffer.alloc(size));
  const written = new Array<number>(FOUND_PARTS).fill(0);
  for (let at = 0; at < entries.length; at += OWNER_ENTRY_BYTES) {
    const part = entries[at] as number;
    (parts.get(part) as Buffer).set(entries.subarray(at, at + OWNER_ENTRY_BYTES), written[part]);
    written[part] = (written[part] as number) + OWNER_ENTRY_BYTES;
  }
  return parts;
}

/** The entries that don't say otherwise than what was found. */
function withoutContradictions(entries: Uint8Array, found: OwnerIndex, taken: ReadonlySet<number>): Uint8Array {
  const kept: Uint8Array[] = [];
  let at = 0;
  for (const place of placesOf(entries)) {
    const now = found.placeOf(entries, at);
    if (now === undefined ? !taken.has(place) : now === place) kept.push(entries.subarray(at, at + OWNER_ENTRY_BYTES));
    at += OWNER_ENTRY_BYTES;
  }
  return Buffer.concat(kept);
}
