import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@payouts/client';
import type { Address, Signature } from '@solana/kit';
import { CLOCK_ADDRESS } from '../../../src/ledger/clock.ts';
import type { LedgerAccount } from '../../../src/ledger/ledger.ts';
import { type Account, Accounts } from './accounts.ts';
import { heightOf } from './blockhash.ts';
import type { SentInstruction, SentTransaction } from './message.ts';
import { type LedgerError, type Payment, type Run, runProgram } from './program.ts';
import { Sandbox } from './sandbox.ts';

/** Real or simulated time: unix milliseconds, and something to happen after some of them. */
export type Clockwork = { readonly now: number; after(milliseconds: number, act: () => void): void };

/** The ledger program that a chain runs, and who may sign for it. */
export type Deployed = Pick<Run, 'program' | 'authority' | 'paysTwice'>;

/** A transaction that a chain has executed; `err` null for success. */
export type Executed = { readonly at: number; readonly err: LedgerError | null };

/** What one transaction did. */
export type Effect = {
  readonly transaction: SentTransaction;
  readonly changes: ReadonlyMap<Address, Account>;
  readonly payments: readonly Payment[];
};

export type ChainInput = {
  readonly name: 'base' | 'layer';
  readonly clockwork: Clockwork;
  readonly deployed: Deployed;
  /** Milliseconds of a block, and for how many blocks a blockhash is good. */
  readonly blockMs: number;
  readonly blockhashGoodFor: bigint;
};

const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
const TRANSFER = 2;
const CLOCK_BYTES = 40;
const CLOCK_TIME_AT = 32;

/** Accounts, blocks and executed transactions of one ledger, without anything that can go wrong on the way to it. */
export class Chain {
  readonly name: 'base' | 'layer';
  readonly accounts = new Accounts();
  readonly blockhashGoodFor: bigint;
  readonly #clockwork: Clockwork;
  readonly #deployed: Deployed;
  readonly #blockMs: number;
  readonly #executed = new Map<Signature, Executed>();
  /** Milliseconds by which its clock is behind. */
  behindMs = 0;

  constructor({ name, clockwork, deployed, blockMs, blockhashGoodFor }: ChainInput) {
    this.name = name;
    this.blockhashGoodFor = blockhashGoodFor;
    this.#clockwork = clockwork;
    this.#deployed = deployed;
    this.#blockMs = blockMs;
  }

  /** Height of the block at a moment, unix milliseconds. */
  heightAt(at: number): bigint {
    return BigInt(Math.floor(at / this.#blockMs));
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
  simulate(transaction: SentTransaction, at: number): LedgerError | null {
    return this.#run(transaction, at, new Sandbox(this.accounts, this.#secondsAt(at), at), []);
  }

  /** Executes a transaction, unless it has been; undefined then, or if it fails. */
  execute(transaction: SentTransaction): Effect | undefined {
    const { now } = this.#clockwork;
    if (this.#executed.has(transaction.signature)) return undefined;
    const sandbox = new Sandbox(this.accounts, this.#secondsAt(now));
    const payments: Payment[] = [];
    const err = this.#run(transaction, now, sandbox, payments);
    this.#executed.set(transaction.signature, { at: now, err });
    if (err !== null) return undefined;
    for (const [address, account] of sandbox.changes) this.accounts.put(address, account, now);
    return { transaction, changes: sandbox.changes, payments };
  }

  /** An account, or the clock, as it was at a moment. */
  show(address: Address, at: number): LedgerAccount | null {
    if (address !== CLOCK_ADDRESS) return this.accounts.show(address, at);
    const data = new Uint8Array(CLOCK_BYTES);
    new DataView(data.buffer).setBigInt64(CLOCK_TIME_AT, this.#secondsAt(at), true);
    return { address, owner: SYSTEM_PROGRAM, lamports: 1n, data };
  }

  #secondsAt(at: number): bigint {
    return BigInt(Math.floor((at - this.behindMs) / 1_000));
  }

  #run(transaction: SentTransaction, at: number, sandbox: Sandbox, payments: Payment[]): LedgerError | null {
    if (!this.isTimely(transaction, at)) return 'BlockhashNotFound';
    const run = { ...this.#deployed, sandbox, payments };
    for (const [place, instruction] of transaction.instructions.entries()) {
      const code = this.#instruction(run, instruction);
      if (code !== undefined) return { InstructionError: [place, { Custom: code }] };
    }
    return null;
  }

  #instruction(run: Run, instruction: SentInstruction): number | undefined {
    const { program, accounts, data } = instruction;
    if (program === COMPUTE_BUDGET_PROGRAM_ADDRESS) return undefined;
    if (program === run.program) return runProgram(run, this.name, instruction);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    if (program !== SYSTEM_PROGRAM || view.getUint32(0, true) !== TRANSFER) {
      throw new Error(`The fake ledger has no program ${program}.`);
    }
    const [from, to] = accounts as [Address, Address];
    return run.sandbox.moveLamports(from, to, view.getBigUint64(4, true)) ? undefined : 1;
  }
}
