import {
  addressFromBytes,
  BALANCE_PAGE_KIND,
  type Batch,
  BatchPhase,
  BITMAP_PAGE_BITS,
  bitmapHash,
  bitmapPageCount,
  bitmapSize,
  CLAIM_PAYMENT_DISCRIMINATOR,
  checkPool,
  checkVault,
  checkWindow,
  FUND_COUNTER_DISCRIMINATOR,
  HASH_BYTES,
  isBitSet,
  OPEN_BITMAP_DISCRIMINATOR,
  OPEN_PAGES_DISCRIMINATOR,
  OPEN_PERSONAL_DISCRIMINATOR,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Recipient,
  SCHEDULE_KIND,
  SchedulePhase,
  type Violation,
} from '@payouts/client';
import { batchOf } from '@payouts/testing/litesvm/handles';
import type { Address, Signature } from '@solana/kit';
import { runIdOf } from '../../src/domain/run.ts';
import type { LedgerAccount } from '../../src/ledger/ledger.ts';
import type { RunRow } from '../../src/store/queries/runs.ts';
import type { TransactionRow } from '../../src/store/queries/transactions.ts';
import type { Events } from './events.ts';
import {
  type Page,
  readBatch,
  readBitmapPage,
  readPage,
  readPool,
  readSchedule,
  readVault,
} from './ledgers/accounts.ts';
import type { Changes } from './ledgers/chain.ts';
import type { Ledgers } from './ledgers/ledgers.ts';
import type { DrawnList } from './ledgers/lists.ts';
import { readTransaction, signatureOf } from './ledgers/message.ts';
import type { MemoryDatabase } from './store/database.ts';

/** A promise of the product that was broken. */
export type Broken = { readonly at: number; readonly rule: string; readonly what: string };

type SettledWindow = { readonly at: number; readonly paidCount: number; readonly paidAmount: bigint };

export type WatchInput = {
  readonly events: Events;
  readonly ledgers: Ledgers;
  readonly database: MemoryDatabase;
  /** Lists by schedule. */
  readonly lists: ReadonlyMap<string, DrawnList>;
};

const MOST_REPORTED = 20;
/** Who has a slot that is free. */
const NOBODY = addressFromBytes(new Uint8Array(32));
/** Instructions of the layer that may be repeated, and are not kept. */
const UNKEPT: ReadonlySet<number> = new Set([
  CLAIM_PAYMENT_DISCRIMINATOR,
  OPEN_BITMAP_DISCRIMINATOR,
  OPEN_PAGES_DISCRIMINATOR,
  OPEN_PERSONAL_DISCRIMINATOR,
  FUND_COUNTER_DISCRIMINATOR,
]);

/** Holds everything that happens against what the product promises, by what the ledgers really are and not by what anybody was told. */
export class Watch {
  readonly broken: Broken[] = [];
  /** Payments by window and place in the list. */
  readonly #paid = new Map<string, bigint>();
  readonly #settled = new Map<string, SettledWindow>();
  readonly #opened = new Set<string>();
  /** Windows that the layer has committed, with the hash of their bitmap. */
  readonly #hashed = new Set<string>();
  /** Who has sent bytes that were kept, by their signature. */
  readonly #senders = new Map<string, Set<string>>();

  constructor(private readonly input: WatchInput) {}

  get opened(): number {
    return this.#opened.size;
  }

  get payments(): number {
    return this.#paid.size;
  }

  /** A promise does not hold. */
  report(rule: string, what: string): void {
    if (this.broken.length < MOST_REPORTED) this.broken.push({ at: this.input.events.now, rule, what });
  }

  /** Bytes leave a coordinator, of this name. */
  onSend(name: string, ledger: 'base' | 'layer', wire: string): void {
    const signature = signatureOf(wire);
    if (this.input.database.transactionOf(signature)?.wire === wire) {
      this.#senders.set(signature, (this.#senders.get(signature) ?? new Set()).add(name));
      return;
    }
    // Claims are not kept, nor what makes their pages: the bitmap makes a repeat harmless, and their bytes would put recipients into the database.
    if (ledger === 'layer' && isUnkept(wire)) return;
    this.report('stored before it is sent', `Bytes were sent to the ${ledger} that are not in the store.`);
  }

  /** A transaction is kept; `before`: those that the store had of the same run and purpose. */
  onKept(kept: TransactionRow, before: readonly TransactionRow[]): void {
    const attempt = kept.attempt_id === null ? undefined : this.input.database.attempts.get(kept.attempt_id);
    for (const other of before) {
      // Two processes have signed the same bytes at the same moment: one transaction.
      if (other.id === kept.id) continue;
      // A coordinator that was taken for dead may sign beside its successor; nobody signs anew what they could have seen.
      const wasThere = attempt !== undefined && other.id < attempt.id;
      const isOwn = other.attempt_id === kept.attempt_id;
      if (other.outcome === 'sent' && (wasThere || isOwn)) {
        this.report(
          'signed anew only when the last can never land',
          `A ${kept.purpose} of run ${kept.run_id} was signed while another was under way.`,
        );
      }
    }
  }

  /** The store is told how a transaction ended. */
  onOutcome(row: TransactionRow, outcome: TransactionRow['outcome']): void {
    const { ledgers } = this.input;
    const chain = row.ledger === 'base' ? ledgers.base : ledgers.layer;
    const executed = chain.executed(row.signature as Parameters<typeof chain.executed>[0]);
    if (outcome === 'landed' && executed?.err !== null && row.ledger === 'base') {
      this.report('landed means landed', `A ${row.purpose} was noted as landed that did not.`);
    }
    if (outcome === 'expired') {
      const canLand = BigInt(row.last_valid_block_height) >= chain.heightAt(this.input.events.now);
      if (canLand || executed?.err === null) {
        this.report(
          'expired means that it never lands',
          `A ${row.purpose} was noted as expired, but it landed or still can.`,
        );
      }
    }
  }

  /** A run is about to end. */
  onFinish(run: RunRow, state: 'settled' | 'cancelled', paidAmount: bigint | null): void {
    const name = nameOf(run);
    const { ledgers } = this.input;
    const settled = this.#settled.get(name);
    if (state === 'cancelled') {
      if (this.#opened.has(name)) this.report('cancelled means never opened', `${name} had opened.`);
      return;
    }
    if (settled === undefined || settled.at > ledgers.momentOf('finalized')) {
      this.report('settled means final', `${name} was reported as settled before that was final.`);
    }
    if (paidAmount !== null && settled !== undefined && settled.paidAmount !== paidAmount) {
      this.report('what was paid is told', `${name} paid ${settled.paidAmount}, but ${paidAmount} was noted.`);
    }
  }

  /** A ledger has executed something: what an employer did if it has no signature. */
  onEffect(ledger: 'base' | 'layer', changes: Changes, signature?: Signature): void {
    if (ledger === 'layer') {
      this.#onPayments(changes);
      this.#onCommits(changes);
      return;
    }
    const kept = signature === undefined ? undefined : this.input.database.transactionOf(signature);
    // What one process sends, one that was taken for dead may be refused: its successor then corrects the record.
    const senders = this.#senders.get(signature ?? '')?.size ?? 0;
    if (kept?.outcome === 'failed' && senders < 2) {
      this.report('failed means that it changed nothing', `A ${kept.purpose} landed that was noted as failed.`);
    }
    for (const address of changes.keys()) this.#onSchedule(address, changes);
    this.#checkMoney(changes);
  }

  /** At the end, when everything has had its time. */
  atEnd(): void {
    const { database, ledgers, lists } = this.input;
    for (const run of database.runs.values()) this.#checkEnded(run);
    for (const name of this.#opened) {
      const [schedule, window] = name.split(':') as [string, string];
      if (database.run({ schedule, window: BigInt(window) }) === undefined) {
        this.report('one run for every window', `${name} has none.`);
      }
      if (!this.#settled.has(name)) this.report('every window ends', `${name} is still open.`);
    }
    for (const address of lists.keys()) {
      const schedule = readSchedule(ledgers.base.account(address as Address));
      const batch = readBatch(ledgers.base.account(batchOf(address as Address)));
      if (schedule !== undefined && batch !== undefined) this.#violations(checkWindow(schedule, batch));
    }
    this.#checkBalances();
  }

  #checkEnded(run: RunRow): void {
    const name = nameOf(run);
    if (run.finished_at === null) {
      this.report(
        'no run is forgotten',
        `${name} is ${run.state} (${run.error_code ?? 'no error'}): ${run.error_detail}`,
      );
      return;
    }
    const settled = this.#settled.get(name);
    if (settled === undefined) return;
    const told = { paid: run.claims_paid, unpaid: run.unpaid };
    if (told.paid !== settled.paidCount || told.unpaid !== run.claims_total - settled.paidCount) {
      this.report(
        'who was paid is told',
        `${name} paid ${settled.paidCount} of ${run.claims_total}; noted: ${told.paid} paid, ${told.unpaid} unpaid.`,
      );
    }
  }

  /** What an owner has is what the windows of all their lists have paid them, in one slot. */
  #checkBalances(): void {
    const { layer } = this.input.ledgers;
    const paid = new Map<string, bigint>();
    for (const [key, amount] of this.#paid) {
      const [schedule = '', , index] = key.split(':');
      const entry = this.input.lists.get(schedule)?.recipients[Number(index)];
      const mint = this.#mintOf(schedule as Address);
      const name = `${mint} ${entry && ownerOf(entry)}`;
      paid.set(name, (paid.get(name) ?? 0n) + amount);
    }
    for (const address of layer.ofKind(BALANCE_PAGE_KIND)) {
      const page = readPage(layer.account(address));
      for (const { owner, amount } of page?.slots ?? []) {
        if (owner === NOBODY) continue;
        const name = `${page?.mint} ${owner}`;
        if (amount !== paid.get(name)) {
          this.report('a balance holds what was paid', `An owner has ${amount}, not ${paid.get(name)}.`);
        }
        paid.delete(name);
      }
    }
    if (paid.size > 0) this.report('a balance holds what was paid', `${paid.size} who were paid have no balance.`);
  }

  #mintOf(schedule: Address): Address | undefined {
    return readSchedule(this.input.ledgers.base.account(schedule))?.mint;
  }

  #onSchedule(address: Address, changes: Changes): void {
    const { before, after } = changes.get(address) as NonNullable<ReturnType<Changes['get']>>;
    const [was, is] = [readSchedule(before), readSchedule(after)];
    if (was === undefined || is === undefined || was.phase === is.phase) return;
    const name = runIdOf({ schedule: address, window: was.window });
    if (is.phase === SchedulePhase.Open) {
      if (this.#opened.has(name)) this.report('a window opens once', `${name} was opened twice.`);
      this.#opened.add(name);
      return;
    }
    const { lastPaidCount: paidCount, lastPaidAmount: paidAmount } = is;
    if (this.#settled.has(name)) this.report('a window is settled once', `${name} was settled twice.`);
    this.#settled.set(name, { at: this.input.events.now, paidCount, paidAmount });
    const batch = readBatch(this.input.ledgers.base.account(batchOf(address)));
    if (batch !== undefined) this.#checkSettled(name, batch);
  }

  /** What the layer gave back is what it paid. */
  #checkSettled(name: string, batch: Batch): void {
    const bitmap = new Uint8Array(bitmapSize(batch.recipients));
    let count = 0;
    let amount = 0n;
    for (let index = 0; index < batch.recipients; index++) {
      const paid = this.#paid.get(`${name}:${index}`);
      if (paid === undefined) continue;
      bitmap[index >> 3] = (bitmap[index >> 3] as number) | (1 << (index & 7));
      count += 1;
      amount += paid;
    }
    // A batch that the layer let go of has lost who was paid, and says so.
    const isHashed = this.#hashed.has(name);
    const { schedule, window } = batch;
    const hash = isHashed ? bitmapHash({ schedule, window, bitmap }) : new Uint8Array(HASH_BYTES);
    const isSame = Buffer.compare(hash, Uint8Array.from(batch.bitmapHash)) === 0;
    if (batch.phase !== BatchPhase.Idle || count !== batch.paidCount || amount !== batch.paidAmount || !isSame) {
      this.report(
        'settled is what was paid',
        `${name} paid ${count} recipients ${amount}; settled: ${batch.paidCount}.`,
      );
    }
  }

  /** Balances grow by what the list says of those whom the batch shows as paid, and by nothing else. */
  #onPayments(changes: Changes): void {
    const states = [...changes.values()];
    const batch = states.map(({ after }) => readBatch(after) ?? leaving(after)).find((each) => each !== undefined);
    const paid = states.flatMap(({ before, after }) => changed(readPage(before), readPage(after)));
    if (batch === undefined || paid.length === 0) return;
    const name = runIdOf(batch);
    const list = this.input.lists.get(batch.schedule)?.recipients ?? [];
    const bitmap = states.map(({ after }) => readBitmapPage(after)).find((each) => each !== undefined);
    const isOf = bitmap?.schedule === batch.schedule && bitmap.window === batch.window;
    const first = (bitmap?.number ?? 0) * BITMAP_PAGE_BITS;
    const byOwner = new Map(list.map((entry) => [ownerOf(entry), entry]));
    for (const [owner, amount] of paid) {
      const expected = byOwner.get(owner);
      const index = expected?.index ?? -1;
      const key = `${name}:${index}`;
      // A transaction that pays everybody may close the window, and its bitmap: that is marked by the hash, which is compared at the end.
      const isMarked = isOf ? isBitSet(bitmap.bitmap, index - first) : batch.phase === BatchPhase.Closed;
      if (expected?.amount !== amount || !isMarked) {
        this.report('everybody is paid their own', `Recipient ${index} of ${name} was paid what is not theirs.`);
      }
      if (this.#paid.has(key)) this.report('nobody is paid twice', `Recipient ${index} of ${name} was paid again.`);
      if (this.#settled.has(name)) this.report('nobody is paid late', `Recipient ${index} of ${name}, after its end.`);
      this.#paid.set(key, amount);
    }
  }

  #onCommits(changes: Changes): void {
    for (const { before, after } of changes.values()) {
      const closed = readBatch(before) && leaving(after);
      if (closed?.phase !== BatchPhase.Closed) continue;
      // Of a bitmap that was never made, there is no hash.
      if (closed.bitmapPages === 2 ** bitmapPageCount(closed.recipients) - 1) this.#hashed.add(runIdOf(closed));
    }
  }

  #checkMoney(changes: Changes): void {
    const { layer, machines } = this.input.ledgers;
    const { base } = machines;
    for (const { after } of changes.values()) {
      const vault = readVault(after);
      if (vault !== undefined) this.#violations(checkVault(vault, base.tokens(vault.tokenAccount)));
      const pool = readPool(after);
      if (pool === undefined) continue;
      let privateBalances = 0n;
      for (const address of layer.ofKind(BALANCE_PAGE_KIND)) {
        const page = readPage(layer.account(address));
        if (page?.mint !== pool.mint) continue;
        for (const { amount } of page.slots) privateBalances += amount;
      }
      const openBudgets = this.#openBudgets(pool.mint);
      const held = base.tokens(pool.tokenAccount);
      this.#violations(checkPool(pool, held, { openBudgets, privateBalances, withdrawalsUnderWay: 0n }));
    }
  }

  /** What open windows of a token have not paid yet, by what was really paid. */
  #openBudgets(mint: Address): bigint {
    const { base } = this.input.ledgers;
    let budgets = 0n;
    for (const address of base.ofKind(SCHEDULE_KIND)) {
      const schedule = readSchedule(base.account(address));
      if (schedule?.mint !== mint || schedule.openedAt === 0n) continue;
      budgets += schedule.windowAmount;
      const name = runIdOf({ schedule: address, window: schedule.window });
      for (let index = 0; index < schedule.windowRecipients; index++)
        budgets -= this.#paid.get(`${name}:${index}`) ?? 0n;
    }
    return budgets;
  }

  #violations(violations: readonly Violation[]): void {
    for (const { rule, sentence } of violations) this.report(rule, sentence);
  }
}

/** A batch that is sent back: it belongs to the delegation program from here on. */
const leaving = (account: LedgerAccount | null): Batch | undefined =>
  account === null ? undefined : readBatch({ ...account, owner: PAYOUT_LEDGER_PROGRAM_ADDRESS });

/** A claim, or what makes its balances' pages and the accounts of deliveries. */
const isUnkept = (wire: string): boolean =>
  readTransaction(wire).instructions.some(
    ({ programAddress, data }) =>
      programAddress === PAYOUT_LEDGER_PROGRAM_ADDRESS && UNKEPT.has((data as Uint8Array)[0] as number),
  );

const owners = new WeakMap<Recipient, Address>();

/** Whose balance an entry is paid into, in base 58. */
function ownerOf(entry: Recipient): Address {
  const owner = owners.get(entry) ?? addressFromBytes(ownerRecord(entry).owner);
  owners.set(entry, owner);
  return owner;
}

/** By how much balances of a page have changed, by their owners. */
function changed(before: Page | undefined, after: Page | undefined): [Address, bigint][] {
  return (after?.slots ?? []).flatMap(({ owner, amount }, slot): [Address, bigint][] => {
    const difference = amount - (before?.slots[slot]?.amount ?? 0n);
    return difference === 0n ? [] : [[owner, difference]];
  });
}

const nameOf = ({ schedule, window_number }: RunRow): string => runIdOf({ schedule, window: BigInt(window_number) });
