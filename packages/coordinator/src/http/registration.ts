import { addressToBytes, findPoolAddress, MerkleTree, type Schedule, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ListRecords } from '../domain/listRecords.ts';
import { Problem } from '../domain/problems.ts';
import { promiseOf, rootText } from '../ledger/accounts.ts';
import {
  awaitFinalRoot,
  readEmployer,
  readFinalSchedule,
  type ScheduleAtSlot,
  type ScheduleSource,
} from '../ledger/finalSchedule.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import { observedSchedule } from '../ledger/observedSchedule.ts';
import type { ReceivedList } from '../lists/entries.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { findAnswer, type IdempotencyKeyUse, KeyReused, saveAnswer } from '../store/queries/idempotency.ts';
import { findList, type ListRow, registerList } from '../store/queries/lists.ts';
import type { Db } from '../store/schema.ts';

export type RegistrarInput = {
  readonly base: BaseLedger;
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly program: Address;
  readonly time: Time;
  /** Told of each list that was stored. */
  readonly onStored?: (list: ListRow, records: ListRecords) => void;
};

/** What is to be registered; `mint` if the caller said which token the list is for. */
export type RegistrationRequest = {
  readonly address: Address;
  readonly mint: string | undefined;
  readonly list: ReceivedList;
  readonly idempotencyKey: string | undefined;
};

const CREATED = 201;
const REPEATED = 200;

/** A registered list: its root (hexadecimal), the status to answer, and whether that was answered before under the same key. */
export type Registered = { readonly root: string; readonly status: 200 | 201; readonly isReplay: boolean };

/**
 * Registers a schedule's list: it must rebuild the root on the ledger, at finalized commitment, and add up to its amount and count.
 * Throws `Problem` naming the first thing that differs, or `RunError` when the ledger can't be read; then nothing is stored.
 */
export async function register(input: RegistrarInput, request: RegistrationRequest): Promise<Registered> {
  try {
    return await checkAndStore(input, request);
  } catch (error) {
    if (!(error instanceof KeyReused)) throw error;
    throw new Problem('idempotency-key-reused', 'The Idempotency-Key was used for another list: use a new one.');
  }
}

async function checkAndStore(input: RegistrarInput, request: RegistrationRequest): Promise<Registered> {
  const { address, list, idempotencyKey: key } = request;
  const source: ScheduleSource = { base: input.base, program: input.program, time: input.time, address };
  // The ledger answers while the list is hashed.
  const [final, tree] = await Promise.all([
    readFinalSchedule(source),
    list.beyond === undefined ? treeOf(list.records) : undefined,
  ]);
  const root = tree && Buffer.from(tree.root).toString('hex');
  const use = key === undefined || root === undefined ? undefined : { key, schedule: address, root };
  const before = use && (await answeredBefore(input, use));
  if (before !== undefined && root !== undefined) return { root, status: before, isReplay: true };

  const isExpected = final !== undefined && root !== undefined && promiseOf(final.schedule, root) !== undefined;
  const seen = isExpected || root === undefined ? final : await awaitFinalRoot(source, root);
  if (seen === undefined) {
    throw new Problem(
      'schedule-not-found',
      'The ledger has no schedule of this program at the address, as far as is final.',
    );
  }
  const { schedule } = seen;
  if (request.mint !== undefined && request.mint !== schedule.mint) {
    throw new Problem('mint-mismatch', 'The list is for another token than the one that the schedule pays in.');
  }
  if (tree === undefined || root === undefined) throw incomplete(list, schedule);
  const promise = promiseOf(schedule, root) ?? (await refuse(input.database, request, schedule, tree));
  compareTerms(list, promise);
  await refusePool(input.program, schedule, list.records);
  await list.proofs.compare(tree);
  return store(input, source, { seen, list, tree, use });
}

const treeOf = async (records: ListRecords) => MerkleTree.ofTerms(await records.terms());

/** The pool can't pay itself: what is delivered to it would wait for ever, and hold a place that others need. */
async function refusePool(programAddress: Address, { mint }: Schedule, records: ListRecords): Promise<void> {
  const index = await records.indexOf(addressToBytes(await findPoolAddress(mint, { programAddress })));
  if (index === undefined) return;
  const detail = `Entry ${index}: the recipient is the pool that pays.`;
  throw new Problem('invalid-recipient', detail, { index, field: 'recipient' });
}

/** A list with gaps: its count says more than the first index that is too large, if that is what differs. */
function incomplete({ records, beyond = 0 }: ReceivedList, schedule: Schedule): Problem {
  if (records.count !== schedule.recipients) return countMismatch(records.count, schedule.recipients);
  const detail = `Entry ${beyond}: the indexes must be 0 to n − 1 without a gap.`;
  return new Problem('invalid-recipient', detail, { index: beyond, field: 'index' });
}

function countMismatch(found: number, expected: number): Problem {
  const detail = `The list has ${found} recipients; the ledger says ${expected}.`;
  return new Problem('count-mismatch', detail, { expected, found });
}

function compareTerms({ records, total }: ReceivedList, promise: Pick<Schedule, 'recipients' | 'amount'>): void {
  if (records.count !== promise.recipients) throw countMismatch(records.count, promise.recipients);
  if (total !== promise.amount) {
    throw new Problem('total-mismatch', "The list's amounts don't add up to the schedule's amount per execution.");
  }
}

/** Says why a list with another root than the ledger's is not taken. */
async function refuse(
  database: Db,
  { address, list }: RegistrationRequest,
  schedule: Schedule,
  tree: MerkleTree,
): Promise<never> {
  if (await findList(database, address, Buffer.from(tree.root).toString('hex'))) {
    throw new Problem('root-replaced', 'The list is that of a root which the ledger has replaced.');
  }
  if (await findList(database, address, rootText(schedule))) {
    throw new Problem('list-conflict', 'Another list is registered for this schedule and its current root.');
  }
  compareTerms(list, schedule);
  await list.proofs.verify(tree, schedule.root as Uint8Array);
  throw new Problem('root-mismatch', 'The list does not rebuild the root on the ledger.');
}

/** What to store; `use` if the caller named an idempotency key. */
type Accepted = {
  readonly seen: ScheduleAtSlot;
  readonly list: ReceivedList;
  readonly tree: MerkleTree;
  readonly use: IdempotencyKeyUse | undefined;
};

async function store(
  { database, payloadKeys, time, onStored }: RegistrarInput,
  source: ScheduleSource,
  { seen: { schedule, slot }, list, tree, use }: Accepted,
): Promise<Registered> {
  const root = Buffer.from(tree.root).toString('hex');
  const at = time.now();
  const keep = async (transaction: Db, isNew: boolean): Promise<Registered> => {
    const status = isNew ? CREATED : REPEATED;
    const answered = use ? await saveAnswer(transaction, use, status, at) : status;
    return { root, status: statusOf(answered), isReplay: answered !== status };
  };
  if (await findList(database, source.address, root)) return keep(database, false);
  const employer = (await readEmployer(source, schedule.vault)) ?? null;
  const registration = {
    schedule: { ...observedSchedule(source.address, schedule, slot, at), employer },
    root: tree.root,
    records: list.records,
    payloadKeys,
    at,
  };
  const { list: stored, kept } = await registerList(database, registration, keep);
  if (stored !== undefined) onStored?.(stored, list.records);
  return kept;
}

/** The status that a use of a key was answered, as long as the list that it was for is still registered. */
async function answeredBefore(
  { database, time }: RegistrarInput,
  use: IdempotencyKeyUse,
): Promise<200 | 201 | undefined> {
  const status = await findAnswer(database, use, time.now());
  if (status === undefined || !(await findList(database, use.schedule, use.root))) return undefined;
  return statusOf(status);
}

const statusOf = (status: number): 200 | 201 => (status === CREATED ? CREATED : REPEATED);
