import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { CLOCK_SYSVAR } from '../addresses.ts';
import { type AccountRecord, type AccountState, closedAccount, fromRecord, toRecord } from './account.ts';
import { Bank, type TransactionResult } from './bank.ts';
import { toBase58 } from './base58.ts';
import { Blockhashes } from './blockhashes.ts';
import { History, type HistoryEntry } from './history.ts';
import { Journal } from './journal.ts';
import { Past, type SlotState } from './past.ts';
import type { JournalRecord, Moment, TokenBalance, TransactionRecord } from './records.ts';
import { SlotTimes } from './slotTimes.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';
import { isTokenProgram, readMint, readTokenAccount, toTokenAmount } from './tokens.ts';
import { type DecodedTransaction, resolveKeys, type TransactionKeys } from './transaction.ts';
import type { TransactionErrorJson } from './transactionErrors.ts';
import { LedgerView } from './view.ts';

/** How often a block is made, milliseconds; Solana's clusters aim at the same. */
export const SLOT_MILLISECONDS = 400;
const SLOTS_PER_EPOCH = 432_000n;
const SNAPSHOT_FILE = 'snapshot.jsonl';
const JOURNAL_FILE = 'journal.jsonl';

/** Told of everything that changes, at once and in order. */
export interface LedgerListener {
  /** A slot began; `parent` came before it. */
  onSlot(slot: number, parent: number): void;
  onTransaction(record: TransactionRecord): void;
  onAccount(account: AccountState, slot: number): void;
}

/** What became of a transaction: landed (perhaps with an error and a fee), or refused without a trace. */
export type Outcome =
  | { readonly landed: true; readonly record: TransactionRecord }
  | { readonly landed: false; readonly err: TransactionErrorJson };

/**
 * The base ledger: accounts, clock, blockhashes, history and journal in one place, without any network.
 *
 * A transaction is confirmed when `process` returns; what shows when to whom, a `LedgerView` tells.
 * Every transaction has a slot of its own, because the validator drops an account's second update in one slot.
 */
export class LocalLedger {
  readonly bank: Bank;
  readonly blockhashes: Blockhashes;
  readonly history = new History();
  readonly slotTimes = new SlotTimes();
  readonly past: Past;
  readonly genesisHash: string;
  readonly #journal: Journal;
  readonly #time: Time;
  readonly #listeners = new Set<Partial<LedgerListener>>();
  #slot: number;
  #clockOffset = 0;
  #transactionCount = 0;

  /** Opens the ledger in a directory; `genesis` are the accounts that stand there before any transaction. */
  constructor(directory: string, genesis: readonly AccountState[], time: Time) {
    this.#time = time;
    this.past = new Past(time);
    mkdirSync(directory, { recursive: true });
    this.bank = new Bank();
    for (const account of genesis) this.bank.setAccount(account);

    const snapshotPath = join(directory, SNAPSHOT_FILE);
    const loaded = readSnapshot(snapshotPath);
    const accounts = loaded?.accounts ?? new Map<string, AccountRecord>();
    let last: Moment = loaded?.snapshot ?? {
      slot: Number(this.bank.firstSlot),
      blockHeight: 0,
      at: this.#time.now(),
    };
    this.genesisHash = loaded?.snapshot.genesisHash ?? toBase58(randomBytes(32));
    this.#clockOffset = loaded?.snapshot.clockOffset ?? 0;
    this.#transactionCount = loaded?.snapshot.transactionCount ?? 0;

    this.#journal = new Journal(join(directory, JOURNAL_FILE));
    const replayFrom = loaded?.snapshot.journalOffset ?? 0;
    for (const entry of this.#journal.read(loaded?.snapshot.historyOffset ?? 0, true)) {
      const { record, offset, length } = entry;
      if (record.kind === 'transaction') this.history.add(toHistoryEntry(record, offset, length));
      if (offset < replayFrom) continue;
      last = record;
      if (record.kind === 'clock') this.#clockOffset = record.clockOffset;
      if (record.kind === 'transaction') this.#transactionCount += 1;
      for (const account of accountsOf(record)) accounts.set(account.address, account);
    }

    // The validator ignores news from slots before those it saw, so slots go on as if the ledger had never stopped.
    const missedBlocks = Math.max(0, Math.ceil((this.#time.now() - last.at) / SLOT_MILLISECONDS)) + 1;
    this.#slot = last.slot + missedBlocks;
    this.blockhashes = new Blockhashes(BigInt(last.blockHeight + missedBlocks));
    this.#restore(accounts);
    writeSnapshot(
      snapshotPath,
      {
        version: 1,
        genesisHash: this.genesisHash,
        journalOffset: this.#journal.end,
        historyOffset: this.history.oldest?.offset ?? this.#journal.end,
        ...this.#moment,
        clockOffset: this.#clockOffset,
        transactionCount: this.#transactionCount,
      },
      accounts.values(),
    );
    this.makeBlock();
  }

  /** Forgets a ledger that is not open. */
  static erase(directory: string): void {
    for (const file of [SNAPSHOT_FILE, JOURNAL_FILE]) rmSync(join(directory, file), { force: true });
  }

  get slot(): number {
    return this.#slot;
  }

  /** What the newest slot began with. */
  get slotState(): SlotState {
    return { slot: this.#slot, blockHeight: this.blockhashes.height, blockhash: this.blockhashes.latest };
  }

  get epoch(): bigint {
    return BigInt(this.#slot) / SLOTS_PER_EPOCH;
  }

  /** Transactions landed since the ledger began. */
  get transactionCount(): number {
    return this.#transactionCount;
  }

  /** The ledger's time, unix seconds. */
  get unixTimestamp(): number {
    return Math.floor(this.#time.now() / 1000) + this.#clockOffset;
  }

  subscribe(listener: Partial<LedgerListener>): void {
    this.#listeners.add(listener);
  }

  /** Makes a block: a slot passes, a new blockhash appears, the clock goes on. */
  makeBlock(): void {
    this.blockhashes.advance();
    this.#beginSlot();
    this.#endSlot();
    const clock = this.bank.getAccount(CLOCK_SYSVAR);
    if (clock !== null) for (const listener of this.#listeners) listener.onAccount?.(clock, this.#slot);
  }

  /** Makes blocks at once, as if time had passed, so that blockhashes expire. */
  advanceBlocks(count: number): void {
    for (let made = 0; made < count; made++) this.makeBlock();
    this.#recordClock();
  }

  /** Moves the ledger's clock to a time (unix seconds) from which it goes on ticking. */
  warpClock(unixTimestamp: number): void {
    this.#clockOffset = unixTimestamp - Math.floor(this.#time.now() / 1000);
    this.#recordClock();
    this.makeBlock();
  }

  /** Puts an account in place without a transaction, with a slot of its own. */
  setAccount(account: AccountState): void {
    this.#beginSlot();
    this.#keep(account.address);
    this.bank.setAccount(account);
    this.#endSlot();
    this.#journal.append({ kind: 'account', ...this.#moment, account: toRecord(account) });
    for (const listener of this.#listeners) listener.onAccount?.(account, this.#slot);
  }

  /** From now on the ledger can be seen as it was so many milliseconds ago. */
  keepPast(milliseconds: number): void {
    this.past.keep(milliseconds, this.slotState);
  }

  /** The ledger as it was so many milliseconds ago, as far as that is kept. */
  view(behindMs: number): LedgerView {
    return new LedgerView(this, this.past.instant(behindMs));
  }

  /** Runs a transaction and, unless it is refused, lands it. */
  process(transaction: DecodedTransaction): Outcome {
    const refusal = this.view(0).precheck(transaction);
    if (refusal !== null) return { landed: false, err: refusal };

    const keys = resolveKeys(transaction.message, (address) => this.bank.getAccount(address));
    const touchesTokens = keys.keys.some(isTokenProgram);
    this.#beginSlot();
    for (const [place, key] of keys.keys.entries()) {
      if (keys.writable[place] === true) this.#keep(key);
    }
    const preBalances = keys.keys.map((key) => this.bank.getBalance(key));
    const preTokenBalances = touchesTokens ? this.#tokenBalances(keys) : [];
    const execution = this.bank.execute(transaction.wire);
    const postBalances = keys.keys.map((key) => this.bank.getBalance(key));
    this.#endSlot();
    // Solana keeps a failed transaction only when its fee was charged.
    if (execution.err !== null && postBalances[0] === preBalances[0]) return { landed: false, err: execution.err };

    const written = this.#writtenAccounts(keys, execution);
    const record: TransactionRecord = {
      kind: 'transaction',
      ...this.#moment,
      blockTime: this.unixTimestamp,
      signature: transaction.signature,
      transaction: Buffer.from(transaction.wire).toString('base64'),
      err: execution.err,
      fee: execution.fee.toString(),
      accountKeys: keys.keys,
      loadedAddresses: { writable: keys.loadedWritable, readonly: keys.loadedReadonly },
      preBalances: preBalances.map(String),
      postBalances: postBalances.map(String),
      preTokenBalances,
      postTokenBalances: touchesTokens ? this.#tokenBalances(keys) : [],
      logMessages: execution.logs,
      innerInstructions: execution.innerInstructions,
      returnData: execution.returnData,
      computeUnitsConsumed: Number(execution.unitsConsumed),
      accounts: written.map(toRecord),
    };
    const { offset, length } = this.#journal.append(record);
    this.history.add(toHistoryEntry(record, offset, length));
    this.#transactionCount += 1;
    for (const listener of this.#listeners) {
      for (const account of written) listener.onAccount?.(account, this.#slot);
      listener.onTransaction?.(record);
    }
    return { landed: true, record };
  }

  /** A landed transaction's record. */
  readTransaction(entry: HistoryEntry): TransactionRecord {
    return this.#journal.readAt(entry.offset, entry.length) as TransactionRecord;
  }

  /** All transactions of the run from a place in the journal on, and the place to go on from (null: no more). */
  listTransactions(from: number, limit: number): { transactions: TransactionRecord[]; next: number | null } {
    const transactions: TransactionRecord[] = [];
    for (const { record, offset } of this.#journal.read(from)) {
      if (transactions.length === limit) return { transactions, next: offset };
      if (record.kind === 'transaction') transactions.push(record);
    }
    return { transactions, next: null };
  }

  close(): void {
    this.#journal.close();
  }

  /** Notes how an account stands that is about to be written. */
  #keep(address: Address): void {
    if (this.past.isKept) this.past.replace(address, this.bank.getAccount(address));
  }

  #restore(accounts: Map<string, AccountRecord>): void {
    const states = [...accounts.values()].map(fromRecord);
    // A program is loaded when its account is set, from program data that must stand there already.
    states.sort((a, b) => Number(a.executable) - Number(b.executable));
    for (const state of states) this.bank.setAccount(state);
  }

  #beginSlot(): void {
    this.#slot += 1;
    const now = this.unixTimestamp;
    this.slotTimes.add(this.#slot, now);
    this.past.beginSlot(this.slotState);
    this.#keep(CLOCK_SYSVAR);
    this.bank.setClock(BigInt(this.#slot), this.epoch, BigInt(now));
  }

  #endSlot(): void {
    this.bank.setSlotHashes(this.blockhashes.recordSlot(BigInt(this.#slot)));
    for (const listener of this.#listeners) listener.onSlot?.(this.#slot, this.#slot - 1);
  }

  #recordClock(): void {
    this.#journal.append({ kind: 'clock', ...this.#moment, clockOffset: this.#clockOffset });
  }

  get #moment(): Moment {
    return { slot: this.#slot, blockHeight: Number(this.blockhashes.height), at: this.#time.now() };
  }

  /** What a transaction wrote: a failed one its fee payer alone. */
  #writtenAccounts(keys: TransactionKeys, execution: TransactionResult): AccountState[] {
    return keys.keys
      .filter((_, index) => (execution.err === null ? keys.writable[index] === true : index === 0))
      .map((key) => this.bank.getAccount(key) ?? closedAccount(key));
  }

  #tokenBalances(keys: TransactionKeys): TokenBalance[] {
    return keys.keys.flatMap((key, accountIndex) => {
      const account = this.bank.getAccount(key);
      const token = account === null ? null : readTokenAccount(account);
      if (account === null || token === null) return [];
      const uiTokenAmount = toTokenAmount(token.amount, this.decimalsOf(token.mint));
      return [{ accountIndex, mint: token.mint, owner: token.owner, programId: account.owner, uiTokenAmount }];
    });
  }

  /** A mint's decimals; 0 where there is no mint. */
  decimalsOf(mint: Address): number {
    const account = this.bank.getAccount(mint);
    return (account === null ? null : readMint(account))?.decimals ?? 0;
  }
}

function toHistoryEntry(record: TransactionRecord, offset: number, length: number): HistoryEntry {
  const { signature, slot, blockTime, at, accountKeys: addresses } = record;
  return { signature, slot, blockTime, at, err: record.err as TransactionErrorJson | null, addresses, offset, length };
}

function accountsOf(record: JournalRecord): readonly AccountRecord[] {
  if (record.kind === 'transaction') return record.accounts;
  return record.kind === 'account' ? [record.account] : [];
}
