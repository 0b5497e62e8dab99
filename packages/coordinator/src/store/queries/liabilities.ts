import { type Selectable, sql } from 'kysely';
import { DecryptionFailed, decrypt, encrypt, newListKey } from '../crypto/cipher.ts';
import {
  type ChunkPart,
  joinLiabilityChunk,
  keyPlace,
  openLiabilityChunk,
  openWithdrawals,
  seedPlace,
  WITHDRAWALS,
} from '../crypto/liabilityChunks.ts';
import type { PayloadKeys } from '../crypto/payloadKeys.ts';
import { isDuplicate } from '../db/duplicate.ts';
import type { Db, LiabilityRecordingsTable } from '../schema.ts';
import { deleteUnneeded, type TransactionRow } from './transactions.ts';

/** Another process has stored a recording of this number or a later one: the tree in memory is not the last one. */
export class RecordingTaken extends Error {
  override readonly name = 'RecordingTaken';
}

/** A recording of a liabilities tree. */
export type RecordingRow = Selectable<LiabilityRecordingsTable>;

/** Chunks read, and parts stored, at a time: some 1.2 MB. */
export const CHUNKS_AT_A_TIME = 64;

/** What a token's liabilities tree is encrypted with, and what the blinds of its leaves are drawn from, which never changes. */
export type TreeKey = { readonly key: Uint8Array; readonly seed: Uint8Array };

/** The key of a token's liabilities tree; undefined while it has none. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function findTreeKey(database: Db, mint: string, payloadKeys: PayloadKeys): Promise<TreeKey | undefined> {
  const tree = await database.selectFrom('liability_trees').selectAll().where('mint', '=', mint).executeTakeFirst();
  if (tree === undefined) return undefined;
  const key = await payloadKeys.unwrap({ keyId: tree.key_id, wrapped: tree.wrapped_key }, keyPlace(mint));
  return { key, seed: decrypt(key, tree.seed, seedPlace(mint)) };
}

/** The key of a token's liabilities tree, made when it has none; `at` in unix milliseconds. Throws as `findTreeKey`. */
export async function treeKey(database: Db, mint: string, payloadKeys: PayloadKeys, at: number): Promise<TreeKey> {
  const key = newListKey();
  const { keyId, wrapped } = await payloadKeys.wrap(key, keyPlace(mint));
  const seed = encrypt(key, newListKey(), seedPlace(mint));
  await database
    .insertInto('liability_trees')
    .values({ mint, wrapped_key: wrapped, key_id: keyId, seed, created_at: at })
    .onConflict((conflict) => conflict.column('mint').doNothing())
    .execute();
  return (await findTreeKey(database, mint, payloadKeys)) as TreeKey;
}

/** An encrypted part of a chunk; `hash`: with what its leaves are, the node above them. */
export type NewPart = {
  readonly chunk: number;
  readonly part: ChunkPart;
  readonly hash: Uint8Array | null;
  readonly content: Uint8Array;
};

/** What is stored before a root is sent to the base ledger. */
export type NewRecording = {
  readonly recording: Omit<RecordingRow, 'transaction_id'>;
  /** Encrypted parts of chunks that changed since the recording before. */
  readonly chunks: readonly NewPart[];
  readonly transaction: Omit<TransactionRow, 'id' | 'outcome' | 'run_id' | 'attempt_id'>;
  /** Runs whose windows the transaction settles. */
  readonly runs: readonly { readonly runId: number; readonly attemptId: number }[];
};

/**
 * Stores a recording with its chunks, its transaction and the runs that the transaction settles, all or nothing; returns the
 * transaction's id. Throws `RecordingTaken` when the token has one of this number or a later one.
 */
export async function saveRecording(database: Db, recording: NewRecording): Promise<number> {
  const { chunks } = recording;
  try {
    // As nearly always: one statement is a transaction of its own, and keeps the settlements behind it waiting for less.
    if (chunks.length <= CHUNKS_AT_A_TIME) return await saveAtOnce(database, recording);
    return await database.transaction().execute(async (within) => {
      const id = await saveAtOnce(within, { ...recording, chunks: chunks.slice(0, CHUNKS_AT_A_TIME) });
      const { mint, number } = recording.recording;
      for (let first = CHUNKS_AT_A_TIME; first < chunks.length; first += CHUNKS_AT_A_TIME) {
        const rows = chunks.slice(first, first + CHUNKS_AT_A_TIME).map((chunk) => ({ mint, number, ...chunk }));
        await within.insertInto('liability_chunks').values(rows).execute();
      }
      return id;
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw taken();
  }
}

async function saveAtOnce(database: Db, { recording, chunks, transaction, runs }: NewRecording): Promise<number> {
  const { mint, number, sequence, root, total, covered_to, leaves, created_at } = recording;
  const { signature, wire, last_valid_block_height, ledger, purpose } = transaction;
  const { rows } = await sql<{ id: number }>`
    with kept as (
      insert into ledger_transactions (signature, wire, last_valid_block_height, ledger, purpose, outcome, created_at)
      select ${signature}, ${wire}, ${last_valid_block_height}::bigint, ${ledger}, ${purpose}, 'sent',
        ${transaction.created_at}::bigint
      where not exists (select from liability_recordings where mint = ${mint} and number >= ${number}::bigint)
      on conflict (signature) do update set outcome = 'sent'
      returning id
    ), recorded as (
      insert into liability_recordings
        (mint, number, sequence, root, total, covered_to, leaves, transaction_id, created_at)
      select ${mint}, ${number}::bigint, ${sequence}::bigint, ${root}, ${total}, ${covered_to}, ${leaves}::integer, id,
        ${created_at}::bigint
      from kept
    ), stored as (
      insert into liability_chunks (mint, number, chunk, part, hash, content)
      select ${mint}, ${number}::bigint, chunk, part, hash, content from kept, unnest(
        ${chunks.map(({ chunk }) => chunk)}::integer[], ${chunks.map(({ part }) => part)}::text[],
        ${chunks.map(({ hash }) => hash && Buffer.from(hash))}::bytea[],
        ${chunks.map(({ content }) => Buffer.from(content))}::bytea[]
      ) as changed (chunk, part, hash, content)
    ), settled as (
      insert into settled_runs (transaction_id, run_id, attempt_id)
      select id, run_id, attempt_id from kept, ${runsOf(runs)}
    )
    select id from kept`.execute(database);
  const [kept] = rows;
  if (kept === undefined) throw taken();
  return kept.id;
}

const taken = () => new RecordingTaken('Another process has recorded the liabilities tree meanwhile.');

/** The newest recording of a token with this sequence and root (hexadecimal). */
export function findRecording(
  database: Db,
  mint: string,
  sequence: bigint,
  root: string,
): Promise<RecordingRow | undefined> {
  return database
    .selectFrom('liability_recordings')
    .selectAll()
    .where('mint', '=', mint)
    .where('sequence', '=', sequence.toString())
    .where('root', '=', root)
    .orderBy('number', 'desc')
    .executeTakeFirst();
}

/** The highest number that a recording of a token or a chunk of one has; 0 if there is none. */
export async function lastRecordingNumber(database: Db, mint: string): Promise<bigint> {
  const { last } = await database
    .selectFrom('liability_recordings')
    .select((select) => select.fn.max('number').as('last'))
    .where('mint', '=', mint)
    .executeTakeFirstOrThrow();
  return last === null ? 0n : BigInt(last);
}

/**
 * Keeps a transaction that settles windows after a recording, before its first send, and the runs that it settles; returns its id.
 * `at`: unix milliseconds.
 */
export async function keepSettlement(
  database: Db,
  { signature, wire, last_valid_block_height }: Pick<TransactionRow, 'signature' | 'wire' | 'last_valid_block_height'>,
  runs: NewRecording['runs'],
  at: number,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with kept as (
      insert into ledger_transactions (signature, wire, last_valid_block_height, ledger, purpose, outcome, created_at)
      values (${signature}, ${wire}, ${last_valid_block_height}::bigint, 'base', 'settle', 'sent', ${at}::bigint)
      on conflict (signature) do update set outcome = 'sent'
      returning id
    ), settled as (
      insert into settled_runs (transaction_id, run_id, attempt_id)
      select id, run_id, attempt_id from kept, ${runsOf(runs)}
      on conflict do nothing
    )
    select id from kept`.execute(database);
  return (rows[0] as { id: number }).id;
}

/** Runs as a relation `settled`. */
const runsOf = (runs: NewRecording['runs']) => sql`unnest(
  ${runs.map(({ runId }) => runId)}::integer[], ${runs.map(({ attemptId }) => attemptId)}::integer[]
) as settled (run_id, attempt_id)`;

/** Transactions that record a token's tree or settle windows of it, and whose end is not known, oldest first. */
export async function findUnsettledRecordings(database: Db, mint: string): Promise<TransactionRow[]> {
  const { rows } = await sql<TransactionRow>`
    select sent.* from ledger_transactions as sent where outcome = 'sent' and run_id is null and (
      exists (select from liability_recordings where transaction_id = sent.id and mint = ${mint})
      or exists (
        select from settled_runs as settled join execution_runs as run on run.id = settled.run_id
        join schedules on schedules.address = run.schedule
        where settled.transaction_id = sent.id and schedules.mint = ${mint}
      ))
    order by id`.execute(database);
  return rows;
}

/** A token's tree as of recording `number`. */
export type StoredTree = { readonly mint: string; readonly number: bigint; readonly key: Uint8Array };

/** Decrypts the first `chunks` chunks of a token's tree, in order. Throws `DecryptionFailed`. */
export async function* readChunks(
  database: Db,
  { chunks, ...tree }: StoredTree & { readonly chunks: number },
): AsyncGenerator<Buffer> {
  for (let first = 0; first < chunks; first += CHUNKS_AT_A_TIME) {
    const some = Array.from({ length: Math.min(CHUNKS_AT_A_TIME, chunks - first) }, (_, at) => first + at);
    for await (const { entries } of openChunks(database, tree, some)) yield entries;
  }
}

/** Decrypts those of these chunks that a token's tree has, in order. Throws `DecryptionFailed`. */
export async function* openChunks(
  database: Db,
  tree: StoredTree,
  chunks: readonly number[],
): AsyncGenerator<{ readonly chunk: number; readonly entries: Buffer }> {
  const { mint, number, key } = tree;
  const rows = await database
    .selectFrom('liability_chunks')
    .distinctOn(['chunk', 'part'])
    .select(['chunk', 'part', 'number', 'content'])
    .where('mint', '=', mint)
    .where('number', '<=', number.toString())
    .where('part', '!=', WITHDRAWALS.part)
    .where('chunk', 'in', chunks)
    .orderBy('chunk')
    .orderBy('part')
    .orderBy('number', 'desc')
    .execute();
  const opened = (row: (typeof rows)[number] | undefined) => {
    if (row === undefined) throw new DecryptionFailed('A part of the liabilities tree is missing.');
    const { chunk, part, content } = row;
    return openLiabilityChunk(key, content, { mint, chunk, part, number: BigInt(row.number) });
  };
  // Two rows a chunk: 'what' before 'who'.
  for (let at = 0; at < rows.length; at += 2) {
    const what = opened(rows[at]);
    const entries = joinLiabilityChunk(opened(rows[at + 1]), what);
    yield { chunk: (rows[at] as (typeof rows)[number]).chunk, entries };
  }
}

/** A chunk of a tree without its content. */
export type ChunkHash = {
  readonly chunk: number;
  /** Of the recording that it was stored with. */
  readonly number: string;
  /** The node above its leaves. */
  readonly hash: Buffer;
  /** Whether it is a page of balances; the others have windows and withdrawals. */
  readonly isBalances: boolean;
};

/** The chunks of a token's tree as of recording `number`, in order. */
export async function readChunkHashes(
  database: Db,
  { mint, number }: Pick<StoredTree, 'mint' | 'number'>,
): Promise<ChunkHash[]> {
  const { rows } = await sql<ChunkHash>`
    select distinct on (chunk) chunk, stored.number, hash, page.number is not null as "isBalances"
    from liability_chunks as stored left join balance_pages as page on page.mint = stored.mint and page.number = chunk
    where stored.mint = ${mint} and part = 'what' and stored.number <= ${number.toString()}
    order by chunk, stored.number desc`.execute(database);
  return rows;
}

/** Decrypts a token's withdrawals tree as of recording `number`; undefined if none is stored. Throws `DecryptionFailed`. */
export async function readWithdrawals(
  database: Db,
  { mint, number, key }: { readonly mint: string; readonly number: bigint; readonly key: Uint8Array },
): Promise<Buffer | undefined> {
  const row = await database
    .selectFrom('liability_chunks')
    .selectAll()
    .where('mint', '=', mint)
    .where('chunk', '=', WITHDRAWALS.chunk)
    .where('part', '=', WITHDRAWALS.part)
    .where('number', '<=', number.toString())
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && openWithdrawals(key, row.content, { mint, number: BigInt(row.number) });
}

/** Chunks of a token that were stored again after recording `number`. */
export async function chunksChangedAfter(database: Db, mint: string, number: bigint): Promise<number[]> {
  const rows = await database
    .selectFrom('liability_chunks')
    .select('chunk')
    .distinct()
    .where('mint', '=', mint)
    .where('part', '!=', WITHDRAWALS.part)
    .where('number', '>', number.toString())
    .execute();
  return rows.map(({ chunk }) => chunk);
}

/** Forgets what recording `number`, final on the base ledger, has replaced. */
export async function deleteRecordingsBefore(database: Db, mint: string, number: bigint): Promise<void> {
  await database.transaction().execute(async (within) => {
    await sql`delete from liability_chunks as old using liability_chunks as newer
      where old.mint = ${mint} and newer.mint = old.mint and newer.chunk = old.chunk and newer.part = old.part
        and newer.number > old.number and newer.number <= ${number.toString()}`.execute(within);
    const forgotten = await within
      .deleteFrom('liability_recordings')
      .where('mint', '=', mint)
      .where('number', '<', number.toString())
      .returning('transaction_id')
      .execute();
    const transactions = forgotten.flatMap(({ transaction_id }) => transaction_id ?? []);
    await deleteUnneeded(within, transactions);
  });
}

/** Tokens that have a liabilities tree. */
export async function listTrees(database: Db): Promise<string[]> {
  const rows = await database.selectFrom('liability_trees').select('mint').orderBy('mint').execute();
  return rows.map(({ mint }) => mint);
}

/** Tokens of registered schedules. */
export async function listMints(database: Db): Promise<string[]> {
  const rows = await database.selectFrom('schedules').select('mint').distinct().orderBy('mint').execute();
  return rows.map(({ mint }) => mint);
}

/** Which of these tokens a registered schedule pays in. */
export async function knownMints(database: Db, mints: readonly string[]): Promise<Set<string>> {
  if (mints.length === 0) return new Set();
  const rows = await database.selectFrom('schedules').select('mint').distinct().where('mint', 'in', mints).execute();
  return new Set(rows.map(({ mint }) => mint));
}

/** Registered schedules of a token that may have a window open: last seen with one, or with a run that has begun and is not over. */
export async function findOpenSchedules(database: Db, mint: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from schedules where mint = ${mint} and (phase = 'open' or exists (
      select from execution_runs as run
      where run.schedule = address and run.finished_at is null and run.started_at is not null))`.execute(database);
  return rows.map(({ address }) => address);
}
