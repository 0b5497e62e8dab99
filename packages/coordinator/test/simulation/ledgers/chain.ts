import type { Ledger, State } from '@payouts/testing/litesvm/ledger';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import type { Address, Signature } from '@solana/kit';
import { CLOCK_ADDRESS } from '../../../src/ledger/clock.ts';
import type { LedgerAccount } from '../../../src/ledger/ledger.ts';
import { Accounts } from './accounts.ts';
import { heightOf } from './blockhash.ts';
import type { SentTransaction } from './message.ts';

/** Simulated time: unix milliseconds, and something to happen after some of them. */
export type Clockwork = { readonly now: number; after(milliseconds: number, act: () => void): void };

/** A transaction that a chain has executed; `err` null for success. */
export type Executed = { readonly at: number; readonly err: unknown };

/** What accounts were before and after a transaction. */
export type Changes = ReadonlyMap<Address, { readonly before: State | null; readonly after: State | null }>;

export type ChainInput = {
  readonly name: 'base' | 'layer';
  readonly clockwork: Clockwork;
  readonly ledger: Ledger;
  /** Executes a transaction; undefined: the ledger does not take it for what it writes. */
  readonly execute: (transaction: SentTransaction) => Outcome | undefined;
  /** Whether anybody asks for accounts as they were at a former moment. */
  readonly hasPast: boolean;
  /** Whether anybody is told how accounts change; else they are read when they are asked for. */
  readonly isWatched: boolean;
  /** Milliseconds of a block, and for how many blocks a blockhash is good. */
  readonly blockMs: number;
  readonly blockhashGoodFor: bigint;
};

const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111' as Address;
const CLOCK_BYTES = 40;
const CLOCK_TIME_AT = 32;

/** One litesvm with its blocks, its executed transactions and its past, without anything that can go wrong on the way to it. */
export class Chain {
  readonly name: 'base' | 'layer';
  readonly blockhashGoodFor: bigint;
  readonly #accounts: Accounts;
  /** Accounts that nobody watches and that were written since they were read. */
  readonly #unread = new Set<Address>();
  readonly #executed = new Map<Signature, Executed>();
  #seconds: bigint | undefined;
  /** Milliseconds by which its clock is behind. */
  behindMs = 0;

  constructor(private readonly input: ChainInput) {
    this.name = input.name;
    this.blockhashGoodFor = input.blockhashGoodFor;
    this.#accounts = new Accounts(input.hasPast);
  }

  /** Height of the block at a moment, unix milliseconds. */
  heightAt(at: number): bigint {
    return BigInt(Math.floor(at / this.input.blockMs));
  }

  executed(signature: Signature): Executed | undefined {
    return this.#executed.get(signature);
  }

  /** Forgets what it has executed, as a restarted execution layer does. */
  forgetExecuted(): void {
    this.#executed.clear();
  }

  /** Whether a transaction's blockhash is known, and still good, at a moment. */
  isTimely({ blockhash }: SentTransaction, at: number): boolean {
    const height = heightOf(blockhash);
    const now = this.heightAt(at);
    return height <= now && now <= height + this.blockhashGoodFor;
  }

  /** What a transaction would come to, seen from a moment; null: success. */
  simulate(transaction: SentTransaction, at: number): unknown {
    if (!this.isTimely(transaction, at)) return 'BlockhashNotFound';
    const { ledger } = this.input;
    const newer = transaction.keys.filter((key) => this.#accounts.get(key) !== this.#accounts.get(key, at));
    const put = (key: Address, state: State | null) => (state === null ? ledger.remove(key) : ledger.set(state));
    for (const key of newer) put(key, this.#accounts.get(key, at));
    this.#setTime(at);
    const { err } = ledger.simulateWire(transaction);
    for (const key of newer) put(key, this.#accounts.get(key));
    return err;
  }

  /** Executes a transaction, unless it has been; undefined then, or if it fails. */
  execute(transaction: SentTransaction): Changes | undefined {
    if (this.#executed.has(transaction.signature)) return undefined;
    const { err, changes } = this.#execute(transaction, this.input.execute);
    this.#executed.set(transaction.signature, { at: this.input.clockwork.now, err });
    return err === null ? changes : undefined;
  }

  /** Executes a transaction that has not been, and knows nothing of it if it fails: what it would have come to then. */
  executeIfGood(transaction: SentTransaction): { readonly err: unknown; readonly changes: Changes } {
    const { clockwork, ledger } = this.input;
    if (!this.isTimely(transaction, clockwork.now)) return { err: 'BlockhashNotFound', changes: new Map() };
    const { err, changes } = this.#execute(transaction, () => ledger.sendIfGood(transaction));
    if (err === null) this.#executed.set(transaction.signature, { at: clockwork.now, err });
    return { err, changes };
  }

  #execute(transaction: SentTransaction, execute: ChainInput['execute']) {
    const { outcome, changes } = this.perform(() => execute(transaction), transaction.writable);
    return { err: outcome === undefined ? 'InvalidWritableAccount' : outcome.err, changes };
  }

  /** Does something now that writes these accounts, and those that its outcome names. */
  perform<T extends Outcome | undefined>(act: () => T, writable: Iterable<Address> = []) {
    const { clockwork, ledger, isWatched } = this.input;
    for (const address of isWatched ? writable : []) {
      if (!this.#accounts.has(address)) this.#accounts.put(address, ledger.account(address) ?? null, 0);
    }
    this.#setTime(clockwork.now);
    const outcome = act();
    return { outcome, changes: this.keep(new Set([...writable, ...(outcome?.writable ?? [])])) };
  }

  /** Notes how accounts are now. */
  keep(addresses: Iterable<Address>): Changes {
    const changes = new Map<Address, { before: State | null; after: State | null }>();
    for (const address of addresses) {
      if (!this.input.isWatched) {
        this.#unread.add(address);
        continue;
      }
      const before = this.#accounts.get(address);
      const after = this.input.ledger.account(address) ?? null;
      this.#accounts.put(address, after, this.input.clockwork.now);
      changes.set(address, { before, after });
    }
    return changes;
  }

  /** An account as it was at a moment, now by default. */
  account(address: Address, at?: number): State | null {
    this.#read(address);
    if (this.#accounts.has(address)) return this.#accounts.get(address, at);
    return this.input.ledger.account(address) ?? null;
  }

  /** Addresses of all accounts of the ledger program that have ever been of a kind. */
  ofKind(kind: number): Iterable<Address> {
    for (const address of this.#unread) this.#read(address);
    return this.#accounts.ofKind(kind);
  }

  /** An account, or the clock, as it was at a moment. */
  show(address: Address, at: number): LedgerAccount | null {
    if (address !== CLOCK_ADDRESS) return this.account(address, at);
    const data = new Uint8Array(CLOCK_BYTES);
    new DataView(data.buffer).setBigInt64(CLOCK_TIME_AT, this.#secondsAt(at), true);
    return { address, owner: SYSVAR_OWNER, lamports: 1n, data };
  }

  #read(address: Address): void {
    if (!this.#unread.delete(address)) return;
    this.#accounts.put(address, this.input.ledger.account(address) ?? null, this.input.clockwork.now);
  }

  #secondsAt(at: number): bigint {
    return BigInt(Math.floor((at - this.behindMs) / 1_000));
  }

  #setTime(at: number): void {
    const seconds = this.#secondsAt(at);
    if (seconds !== this.#seconds) this.input.ledger.setTime(seconds);
    this.#seconds = seconds;
  }
}
