import { addressToBytes } from '@payouts/client';
import { DecryptionFailed, KEY_BYTES } from '../../../src/store/crypto/cipher.ts';
import {
  type ChunkPart,
  joinLiabilityChunk,
  openLiabilityChunk,
  openWithdrawals,
  WITHDRAWALS,
} from '../../../src/store/crypto/liabilityChunks.ts';
import type { LiabilityStore } from '../../../src/store/liabilityStore.ts';
import type { NewRecording } from '../../../src/store/queries/liabilities.ts';
import { RecordingTaken } from '../../../src/store/queries/liabilities.ts';
import type { MemoryDatabase } from './database.ts';
import { memoryTransactionStore } from './runs.ts';

type ChunksAt = Parameters<LiabilityStore['readChunks']>[0];

/** What is kept of liabilities trees, in memory: the same as in the database, which a test compares. */
export const memoryLiabilityStore = (database: MemoryDatabase): LiabilityStore => ({
  ...memoryTransactionStore(database),
  async treeKey(mint) {
    // Of no use to anybody, so it may follow from the token.
    const key = database.treeKeys.get(mint) ?? addressToBytes(mint).slice(0, KEY_BYTES);
    database.treeKeys.set(mint, key);
    return { key, seed: key };
  },
  lastRecordingNumber: async (mint) =>
    (database.recordings.get(mint) ?? []).reduce(
      (last, { number }) => (BigInt(number) > last ? BigInt(number) : last),
      0n,
    ),
  async findRecording(mint, sequence, root) {
    const alike = (database.recordings.get(mint) ?? []).filter(
      (each) => each.sequence === sequence.toString() && each.root === root,
    );
    return alike.reduce<(typeof alike)[number] | undefined>(
      (newest, each) => (newest === undefined || BigInt(each.number) > BigInt(newest.number) ? each : newest),
      undefined,
    );
  },
  readChunks: (at) => readChunks(database, at),
  async readWithdrawals({ mint, number, key }) {
    const [newest] = (database.parts.get(mint) ?? [])
      .filter((each) => each.part === WITHDRAWALS.part && each.number <= number)
      .sort((a, b) => (a.number < b.number ? 1 : -1));
    return newest && openWithdrawals(key, newest.content, { mint, number: newest.number });
  },
  chunksChangedAfter: async (mint, number) => [
    ...new Set(
      (database.parts.get(mint) ?? [])
        .filter((each) => each.part !== WITHDRAWALS.part && each.number > number)
        .map(({ chunk }) => chunk),
    ),
  ],
  async takePageNumber(mint) {
    const { free } = database.placesOf(mint);
    free.nextPage += 1;
    return free.nextPage - 1;
  },
  saveRecording: async (recording) => saveRecording(database, recording),
  async keepSettlement({ signature, wire, last_valid_block_height }, runs, at) {
    const bytes = { signature, wire, last_valid_block_height };
    const id = database.addTransaction({ ...bytes, ledger: 'base', purpose: 'settle', created_at: String(at) });
    database.settledRuns.set(id, runs);
    return id;
  },
  async findUnsettledRecordings(mint) {
    const recordings = new Set((database.recordings.get(mint) ?? []).map(({ transaction_id }) => transaction_id));
    const isOfMint = ({ id }: { readonly id: number }) =>
      recordings.has(id) ||
      (database.settledRuns.get(id) ?? []).some(({ runId }) => {
        const run = database.runs.get(runId);
        return run !== undefined && database.schedules.get(run.schedule)?.mint === mint;
      });
    return [...database.transactions.values()]
      .filter((each) => each.outcome === 'sent' && isOfMint(each))
      .sort((a, b) => a.id - b.id);
  },
  forgetBefore: async (mint, number) => forgetBefore(database, mint, number),
  async findOpenSchedules(mint) {
    const open = new Set<string>();
    for (const seen of database.schedules.values()) {
      if (seen.mint === mint && seen.phase === 'open') open.add(seen.address);
    }
    for (const run of database.runs.values()) {
      const isAtWork = run.finished_at === null && run.started_at !== null;
      if (isAtWork && database.schedules.get(run.schedule)?.mint === mint) open.add(run.schedule);
    }
    return [...open];
  },
  async askSettlement(settlement) {
    const known = database.settlements.get(settlement.runId);
    const { attemptId } = settlement;
    database.settlements.set(settlement.runId, { ...(known ?? settlement), attemptId, refusal: undefined });
  },
  findSettlements: async (mints, known, limit) =>
    [...database.settlements.values()]
      .filter(({ mint, runId, refusal }) => mints.includes(mint) && !known.includes(runId) && refusal === undefined)
      .sort((a, b) => a.runId - b.runId)
      .slice(0, limit)
      .map(({ refusal: _, ...settlement }) => settlement),
  async refuseSettlement({ runId, attemptId }, refusal) {
    const asked = database.settlements.get(runId);
    if (asked?.attemptId === attemptId) database.settlements.set(runId, { ...asked, refusal });
  },
  findAnswers: async (runIds) =>
    new Map(
      runIds.flatMap((runId) => {
        const asked = database.settlements.get(runId);
        return asked === undefined ? [] : [[runId, asked.refusal ?? null] as const];
      }),
    ),
  async forgetSettlements(runIds) {
    for (const runId of runIds) database.settlements.delete(runId);
  },
});

async function* readChunks(database: MemoryDatabase, { mint, number, chunks, key }: ChunksAt): AsyncGenerator<Buffer> {
  for (let chunk = 0; chunk < chunks; chunk++) {
    const stored = (database.parts.get(mint) ?? []).filter((each) => each.chunk === chunk && each.number <= number);
    if (stored.length === 0) continue;
    const open = (part: ChunkPart) => {
      const newest = stored.filter((each) => each.part === part).sort((a, b) => (a.number < b.number ? 1 : -1))[0];
      if (newest === undefined) throw new DecryptionFailed('A part of the liabilities tree is missing.');
      return openLiabilityChunk(key, newest.content, { mint, chunk, part, number: newest.number });
    };
    yield joinLiabilityChunk(open('who'), open('what'));
  }
}

function saveRecording(database: MemoryDatabase, { recording, chunks, transaction, runs }: NewRecording): number {
  const { mint } = recording;
  const others = database.recordings.get(mint) ?? [];
  if (others.some(({ number }) => BigInt(number) >= BigInt(recording.number))) {
    throw new RecordingTaken('Another process has stored a recording of this number or a later one.');
  }
  const id = database.addTransaction(transaction);
  database.recordings.set(mint, [...others, { ...recording, transaction_id: id }]);
  const number = BigInt(recording.number);
  const parts = chunks.map((chunk) => ({ ...chunk, number }));
  database.parts.set(mint, [...(database.parts.get(mint) ?? []), ...parts]);
  if (runs.length > 0) database.settledRuns.set(id, runs);
  return id;
}

function forgetBefore(database: MemoryDatabase, mint: string, number: bigint): void {
  const parts = database.parts.get(mint) ?? [];
  const isReplaced = (old: (typeof parts)[number]) =>
    parts.some(
      (newer) =>
        newer.chunk === old.chunk && newer.part === old.part && newer.number > old.number && newer.number <= number,
    );
  database.parts.set(
    mint,
    parts.filter((part) => !isReplaced(part)),
  );
  const recordings = database.recordings.get(mint) ?? [];
  const [kept, gone] = [
    recordings.filter((each) => BigInt(each.number) >= number),
    recordings.filter((each) => BigInt(each.number) < number),
  ];
  database.recordings.set(mint, kept);
  for (const { transaction_id: id } of gone) {
    if (id !== null && !database.settledRuns.has(id)) database.transactions.delete(id);
  }
}
