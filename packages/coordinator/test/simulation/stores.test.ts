import { addressFromBytes, LEAF_TERMS_BYTES } from '@payouts/client';
import { Random } from '@payouts/testing/random';
import { expect, it } from 'vitest';
import { ENTRY_BYTES } from '../../src/domain/liability.ts';
import { placesToBytes } from '../../src/domain/places.ts';
import { type RunKey, STAGES, STOPPED_STATES } from '../../src/domain/run.ts';
import { type BalanceStore, sqlBalanceStore } from '../../src/store/balanceStore.ts';
import { newListKey } from '../../src/store/crypto/cipher.ts';
import { sealLiabilityChunk } from '../../src/store/crypto/liabilityChunks.ts';
import { placeOfList } from '../../src/store/crypto/listKey.ts';
import { associatedData } from '../../src/store/crypto/listPlace.ts';
import { localPayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { type LiabilityStore, sqlLiabilityStore } from '../../src/store/liabilityStore.ts';
import type { AttemptFindings, Recorded } from '../../src/store/queries/attempts.ts';
import { createRuns, findRun, type RunRow } from '../../src/store/queries/runs.ts';
import type { ObservedSchedule } from '../../src/store/queries/schedules.ts';
import { countBalancePlaces } from '../../src/store/queries/slots.ts';
import { type RunStore, sqlRunStore } from '../../src/store/runStore.ts';
import { observedSchedule } from '../support/addSchedule.ts';
import { useStore } from '../support/stores.ts';
import { memoryBalanceStore } from './store/balances.ts';
import { MemoryDatabase } from './store/database.ts';
import { memoryLiabilityStore } from './store/liabilities.ts';
import { memoryRunStore } from './store/runs.ts';

const STEPS = 700;
const payloadKeys = localPayloadKeys(new Uint8Array(32).fill(7));
const treeKey = new Uint8Array(32).fill(9);
const PROPOSAL = {
  kind: 'change',
  root: '00',
  isNewList: true,
  recipients: 8,
  amountPerExecution: '8',
  executionsLeft: 5,
  executionsAdded: 0,
  proposedAt: 1,
  expiresAt: 2,
} as const;

const store = useStore('PGlite');

type Row = Readonly<Record<string, unknown>>;
/** One store of two, with the ids that it has given, in the order in which both were asked. */
type Side = {
  readonly runs: RunStore;
  readonly findRun: (key: RunKey) => Promise<RunRow | undefined>;
  readonly liabilities: LiabilityStore;
  readonly balances: BalanceStore;
  readonly ids: Record<Kind, number[]>;
};
type Kind = 'run' | 'attempt' | 'transaction' | 'list';

/** Columns that hold ids, and of what. */
const ID_COLUMNS: Readonly<Record<string, Kind>> = {
  run_id: 'run',
  runId: 'run',
  attempt_id: 'attempt',
  attemptId: 'attempt',
  transaction_id: 'transaction',
  retries_after: 'attempt',
};

/** What a store answered, with places in the order of creation for its own ids. */
function plain(value: unknown, side: Side, kind?: Kind): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Map) return [...value].map(([id, of]) => [side.ids.run.indexOf(id as number), plain(of, side)]);
  if (Array.isArray(value)) return value.map((each) => plain(each, side, kind));
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? `${value}` : value;
  return Object.fromEntries(
    Object.entries(value as Row).map(([name, of]) => {
      const ofKind = name === 'id' ? kind : ID_COLUMNS[name];
      const isUuid = ofKind !== undefined && typeof of === 'number';
      return [name, isUuid ? side.ids[ofKind].indexOf(of) : plain(of, side, name === 'run' ? 'run' : kind)];
    }),
  );
}

class Pair {
  readonly #random: Random;
  readonly #sides: readonly [Side, Side];
  readonly #memory = new MemoryDatabase();
  readonly #seen: ObservedSchedule[] = [];
  readonly #mints: readonly string[];
  readonly roots: readonly string[];
  at = 1_000;
  #otherBalances = 0;

  constructor(random: Random) {
    this.#random = random;
    const ids = () => ({ run: [], attempt: [], transaction: [], list: [] });
    const sql = store.query;
    this.#sides = [
      {
        ...{ runs: sqlRunStore(sql), findRun: (key: RunKey) => findRun(sql, key) },
        ...{ liabilities: sqlLiabilityStore(sql, payloadKeys) },
        ...{ balances: sqlBalanceStore(sql, payloadKeys), ids: ids() },
      },
      {
        ...{ runs: memoryRunStore(this.#memory), findRun: async (key: RunKey) => this.#memory.run(key) },
        ...{ liabilities: memoryLiabilityStore(this.#memory) },
        ...{ balances: memoryBalanceStore(this.#memory), ids: ids() },
      },
    ];
    this.#mints = [addressFromBytes(random.bytes(32)), addressFromBytes(random.bytes(32))];
    this.roots = ['01', '02'].map((text) => text.repeat(32));
  }

  async populate(): Promise<void> {
    this.#otherBalances = await countBalancePlaces(store.query);
    for (const { liabilities } of this.#sides) for (const mint of this.#mints) await liabilities.treeKey(mint, 1);
    for (let place = 0; place < 4; place++) {
      const seen = this.#draw(addressFromBytes(this.#random.bytes(32)));
      this.#seen.push(seen);
      await store.query
        .insertInto('schedules')
        .values({ ...seen, registered_at: 1 })
        .execute();
      this.#memory.schedules.set(seen.address, seen);
      const list = { schedule: seen.address, root: this.roots[place % 2] as string, recipients: 9 };
      const key = await payloadKeys.wrap(newListKey(), associatedData(placeOfList(list), 'key'));
      const row = { ...list, wrapped_key: key.wrapped, key_id: key.keyId, places: null };
      const { id } = await store.query
        .insertInto('recipient_lists')
        .values({ ...row, registered_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      const memoryId = this.#memory.nextId();
      this.#memory.lists.set(memoryId, { id: memoryId, ...row });
      this.#sides[0].ids.list.push(id);
      this.#sides[1].ids.list.push(memoryId);
    }
  }

  #draw(address: string): ObservedSchedule {
    const random = this.#random;
    return observedSchedule(address, {
      mint: this.#mints[this.#seen.length % 2] as string,
      root: this.roots[0] as string,
      phase: random.pick(['idle', 'open'] as const),
      window_number: `${random.below(3)}`,
      next_execution: `${random.below(1_000)}`,
      recipients: 9,
      proposal: random.pick([null, PROPOSAL]),
      seen_slot: `${random.below(50)}`,
      seen_at: `${this.at}`,
    });
  }

  /** Asks both stores and compares what they answer; ids of `kind` that they give are noted. */
  async #both(
    ask: (side: Side) => Promise<unknown>,
    { gives, sorted = false, kind }: { readonly gives?: Kind; readonly sorted?: boolean; readonly kind?: Kind } = {},
  ): Promise<void> {
    const answers: unknown[] = [];
    for (const side of this.#sides) {
      const answer = await ask(side).catch((error: Error) => ({ threw: error.name }));
      if (gives !== undefined && typeof answer === 'number') side.ids[gives].push(answer);
      const shown = gives !== undefined && typeof answer === 'number' ? 'an id' : plain(answer, side, kind);
      const inOrder = sorted && Array.isArray(shown) ? [...shown].sort((a, b) => order(a, b)) : shown;
      answers.push(inOrder ?? null);
    }
    expect(answers[1]).toEqual(answers[0]);
  }

  async step(number: number): Promise<void> {
    const random = this.#random;
    this.at += random.below(20_000);
    const { at } = this;
    const { address: schedule } = random.pick(this.#seen);
    const key = { schedule, window: BigInt(random.below(3)) };
    const stage = random.pick(STAGES);
    const pick = (kind: Kind) => {
      const place = random.below(Math.max(1, this.#sides[0].ids[kind].length));
      return (side: Side) => side.ids[kind][place] ?? -1;
    };
    const [run, attempt, transaction, list] = [pick('run'), pick('attempt'), pick('transaction'), pick('list')];
    const purpose = random.pick(['delegate', 'commit'] as const);
    const mint = random.pick(this.#mints);
    const recording = BigInt(random.below(12));
    const code = random.pick(['not-due', 'ledger-unavailable']);
    const claims = number % 2 === 0 ? {} : { claims: { paid: number % 5, reasons: { held: number % 4 } } };
    const signature = `signature ${at} ${number}`;
    const sent = { signature, wire: 'AA==', last_valid_block_height: '9', created_at: at } as const;
    const bits = random.bytes(2);
    const sequence = `${random.below(6)}`;
    const content = random.bytes(ENTRY_BYTES);
    const chunk = random.below(2);
    const chance = random.below(27);
    const arePaymentsRight = [undefined, true, false][number % 3];
    const found = (side: Side): AttemptFindings => ({
      landed: number % 2 === 0 ? [] : [transaction(side)],
      ...(number % 3 === 0 && { window: { recipients: number, deadline: BigInt(at) } }),
      ...claims,
      ...(number % 5 < 2 && { payments: { listId: list(side), paid: at % 3 === 0 ? null : bits } }),
    });
    const hasRun = this.#sides[0].ids.run.length > 0;
    const hasAttempt = this.#sides[0].ids.attempt.length > 0;
    if (chance < 2 || !hasRun) return this.#createRun(key);
    if (chance < 6 || !hasAttempt) return this.#begin(key, stage, at);
    switch (chance) {
      case 6:
      case 7:
        return this.#both((side) => {
          const leaves = [undefined, { state: 'running', resumeAt: null } as const][number % 2];
          const end = { outcome: 'retried', code, detail: 'd', ...(leaves && { leaves }) } as const;
          return side.runs.endAttempt(attempt(side), end, found(side), at);
        });
      case 8:
        return this.#both((side) => this.#succeed(side, attempt(side), found(side), at));
      case 9: {
        const state = STOPPED_STATES[number % STOPPED_STATES.length] as (typeof STOPPED_STATES)[number];
        const leaves = { state, resumeAt: number % 2 === 0 ? null : at };
        const end = { outcome: 'failed', code, detail: 'd', leaves } as const;
        return this.#both((side) => side.runs.endAttempt(attempt(side), end, found(side), at));
      }
      case 10:
        return this.#both((side) => {
          const over = { state: 'settled', paidAmount: 5n, ...claims, arePaymentsRight, at } as const;
          return this.#succeed(side, side.ids.attempt.at(-1) as number, { landed: [], over }, at);
        });
      case 11:
        return this.#both((side) => side.runs.saveClaims(attempt(side), { paid: number % 9 }));
      case 12:
        return this.#both((side) =>
          side.runs.saveClaims(attempt(side), { paid: number % 7, reasons: { 'claim-refused': number % 3 } }),
        );
      case 15:
        return this.#both((side) => side.runs.listRetries(run(side), stage), { sorted: true });
      case 16:
      case 17:
        return this.#both(
          async (side) => {
            const of = { run_id: run(side), attempt_id: attempt(side) };
            const kept = await side.runs.keepTransaction({ ...sent, ...of, ledger: 'base', purpose });
            if (kept.isNew) side.ids.transaction.push(kept.id);
            return kept;
          },
          { kind: 'transaction' },
        );
      case 18:
        return this.#both((side) => side.runs.settleTransaction(transaction(side), 'landed'));
      case 19:
        await this.#both((side) =>
          side.runs.savePayments(run(side), { listId: list(side), paid: at % 3 === 0 ? null : bits }),
        );
        return this.#both((side) => side.runs.findPayments(run(side)), { kind: 'list' });
      case 20:
      case 21:
        return this.#balances(list, mint, schedule);
      case 22: {
        const seen = {
          ...this.#draw(schedule),
          mint: this.#seen.find((each) => each.address === schedule)?.mint ?? '',
        };
        await this.#both((side) => side.runs.saveSeenSchedule(seen));
        return this.#both((side) => side.liabilities.findOpenSchedules(mint), { sorted: true });
      }
      case 23:
      case 24: {
        const parts = (['what', 'who'] as const).map((part) => ({
          chunk,
          part,
          hash: part === 'what' ? Buffer.alloc(32) : null,
          content: sealLiabilityChunk(treeKey, Buffer.from(content), { mint, chunk, part, number: recording }),
        }));
        const row = { mint, number: `${recording}`, sequence, root: 'ab', total: '1', covered_to: '1', leaves: 1 };
        return this.#both(
          (side) =>
            side.liabilities.saveRecording({
              recording: { ...row, created_at: `${at}` },
              chunks: parts,
              transaction: { ...sent, created_at: `${at}`, ledger: 'base', purpose: 'settle' },
              runs: [{ runId: run(side), attemptId: attempt(side) }],
            }),
          { gives: 'transaction' },
        );
      }
      case 25:
        return this.#readTree(mint, recording, sequence);
      default:
        return this.#settlements(run, attempt, { mint, schedule, window: key.window }, at);
    }
  }

  /** Places are given, or those of pages taken over that somebody has made up. */
  async #balances(list: (side: Side) => number, mint: string, schedule: string): Promise<void> {
    const random = this.#random;
    const leaf = (one: number) => Buffer.alloc(LEAF_TERMS_BYTES, 1 + one);
    const terms = Buffer.concat(Array.from({ length: 9 }, () => leaf(random.below(40))));
    const [vault, nonce] = [random.pick(['one', 'other']), random.bytes(16)];
    // Enough for most of what is asked, not for all; the database has those of other pairs, too.
    const room = random.pick([1_000_000, 20_000]);
    const of = (side: Side) => room + (side === this.#sides[0] ? this.#otherBalances : 0);
    const drawn = Array.from({ length: 20_000 }, () => random.u32());
    const entries = Buffer.concat(
      Array.from({ length: random.below(4) }, () => {
        return Buffer.concat([leaf(random.below(40)).subarray(0, 32), placesToBytes([256 + random.below(6_000)])]);
      }),
    );
    const pages = Array.from({ length: random.below(3) }, () => ({ number: 1 + random.below(30), nonce }));
    const distinct = [...new Map(pages.map((page) => [page.number, page])).values()];
    const shown = { mint, pages: distinct, entries, at: this.at };
    await this.#both((side) => side.balances.isBehind(shown));
    if (random.chance(0.2)) await this.#both((side) => side.balances.adoptPages(shown));
    const root = this.roots[this.at % 2] as string;
    await this.#both(async (side) => {
      const row = await side.runs.findList(schedule, root);
      if (row === undefined) return undefined;
      let at = 0;
      const randomBelow = (bound: number) => (drawn[at++ % drawn.length] as number) % bound;
      const where = { mint, at: this.at, lists: [{ list: row, vault, terms }] };
      return side.balances.allotPlaces({
        ...where,
        randomBelow,
        newNonce: () => nonce,
        mostBalances: of(side),
      });
    });
    await this.#both((side) => side.balances.readPages(mint, this.at), { sorted: true });
    await this.#both((side) => side.liabilities.takePageNumber(mint));
    await this.#both(
      async (side) => {
        const row = await side.runs.findList(schedule, root);
        if (row === undefined) return undefined;
        const { wrapped_key: _, key_id: __, places, ...rest } = row;
        return { ...rest, hasPlaces: places !== null, list: list(side) > 0 };
      },
      { kind: 'list' },
    );
  }

  async #createRun(key: { readonly schedule: string; readonly window: bigint }): Promise<void> {
    const due = [{ ...key, recipients: 9 }];
    const created = await createRuns(store.query, due, this.at);
    expect(this.#memory.createRuns(due, this.at).length).toBe(created.length);
    if (created.length === 0) return;
    for (const side of this.#sides) side.ids.run.push((await side.findRun(key))?.id ?? -1);
    await this.#both((side) => side.findRun(key), { kind: 'run' });
  }

  async #begin(key: RunKey, stage: (typeof STAGES)[number], at: number): Promise<void> {
    await this.#both(async (side) => {
      const begun = await side.runs.beginAttempt(key, stage, at);
      if (begun !== undefined) side.ids.attempt.push(begun.attemptId);
      return begun;
    });
  }

  /** Two times in three the next stage's try begins with it. */
  async #succeed(side: Side, attempt: number, findings: AttemptFindings, at: number): Promise<Recorded> {
    const next = [undefined, 'claim', 'commit'] as const;
    const end = { outcome: 'succeeded', code: null, detail: null } as const;
    const recorded = await side.runs.endAttempt(attempt, end, findings, at, next[at % 3]);
    if (recorded.begun !== undefined) side.ids.attempt.push(recorded.begun.attemptId);
    return recorded;
  }

  async #readTree(mint: string, number: bigint, sequence: string): Promise<void> {
    await this.#both((side) => side.liabilities.lastRecordingNumber(mint));
    await this.#both((side) => side.liabilities.findRecording(mint, BigInt(sequence), 'ab'));
    await this.#both((side) => side.liabilities.chunksChangedAfter(mint, number), { sorted: true });
    await this.#both((side) => side.liabilities.findUnsettledRecordings(mint), { kind: 'transaction' });
    await this.#both(async (side) => {
      const chunks: Buffer[] = [];
      for await (const chunk of side.liabilities.readChunks({ mint, number, chunks: 1, key: treeKey }))
        chunks.push(chunk);
      return chunks;
    });
    if (this.#random.chance(0.3)) await this.#both((side) => side.liabilities.forgetBefore(mint, number));
  }

  async #settlements(
    run: (side: Side) => number,
    attempt: (side: Side) => number,
    where: { readonly mint: string; readonly schedule: string; readonly window: bigint },
    at: number,
  ): Promise<void> {
    /** By this try, or by one before it. */
    const askedBy = (side: Side, isThis: boolean) => ({
      ...where,
      runId: run(side),
      attemptId: isThis ? attempt(side) : (side.ids.attempt[0] as number),
    });
    await this.#both((side) => side.liabilities.askSettlement(askedBy(side, true)));
    if (at % 3 === 0) {
      await this.#both((side) =>
        side.liabilities.refuseSettlement(askedBy(side, at % 2 === 0), { code: 'not-due', message: 'm' }),
      );
    }
    if (at % 5 === 0) await this.#both((side) => side.liabilities.forgetSettlements([run(side)]));
    await this.#both((side) => side.liabilities.findAnswers([run(side)]));
    await this.#both((side) => side.liabilities.findSettlements(this.#mints, [], 3));
    await this.#both((side) => side.liabilities.findSettlements(this.#mints, [run(side)], 3));
  }
}

const order = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

it.each([1, 2, 3])('keeps in memory what the database keeps, whatever is asked (seed %i)', async (seed) => {
  const pair = new Pair(new Random(seed));
  await pair.populate();
  for (let number = 0; number < STEPS; number++) await pair.step(number);
});
