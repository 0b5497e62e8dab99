import {
  DELEGATION_PROGRAM_ADDRESS,
  EPHEMERAL_VAULT_ADDRESS,
  MAGIC_CONTEXT_ADDRESS,
  MAGIC_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
} from '@payouts/client';
import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { Rent } from 'litesvm/dist/internal.js';
import { creatable } from './creations.ts';
import { delegationAccounts, ownerInRecord } from './delegation.ts';
import { FEE_PAYER, Ledger, type State } from './ledger.ts';
import { type Scheduled, scheduledBy } from './magic.ts';
import { compile } from './message.ts';
import type { Outcome } from './outcome.ts';
import {
  LEDGER_PROGRAM,
  ledgerProgramFile,
  magicProgramFile,
  permissionProgramFile,
  SYSTEM_PROGRAM,
} from './programs.ts';

/** Rent of an ephemeral account: lamports for each byte and for 60 bytes beside. */
const EPHEMERAL_RENT = 32n;
const EPHEMERAL_OVERHEAD = 60;
const rentOf = (size: number): bigint => EPHEMERAL_RENT * BigInt(size + EPHEMERAL_OVERHEAD);

/** The layer's rent sysvar has the form before SIMD-0194: lamports of a byte and a year, and two years. They come to the same. */
const LAYER_RENT = new Rent(3_480n, 2, 50);

/** A transaction in the execution layer, and what it asked the base for. */
export interface LayerOutcome {
  readonly outcome: Outcome;
  readonly scheduled: Scheduled;
}

/** The double's own instruction; see its source. */
const PREPARE = Uint8Array.of(255, 255, 255, 255);

const NOTHING: Scheduled = { returns: [], actions: [], created: [], closed: [] };

/**
 * The execution layer: it fetches accounts from the base when a transaction names them, keeps those that are delegated to it, and
 * holds ephemeral accounts that exist nowhere else.
 */
export class Layer {
  readonly ledger = new Ledger(LAYER_RENT);
  /** Number of writes on the base when an account was copied. */
  readonly #copied = new Map<Address, number>();
  /** Delegated and ephemeral accounts. */
  readonly #own = new Set<Address>([MAGIC_CONTEXT_ADDRESS, EPHEMERAL_VAULT_ADDRESS, FEE_PAYER]);
  readonly #programs = new Set<Address>([
    LEDGER_PROGRAM,
    MAGIC_PROGRAM_ADDRESS,
    PERMISSION_PROGRAM_ADDRESS,
    SYSTEM_PROGRAM,
  ]);

  constructor(private readonly base: Ledger) {
    this.ledger.addProgram(LEDGER_PROGRAM, ledgerProgramFile);
    this.ledger.addProgram(MAGIC_PROGRAM_ADDRESS, magicProgramFile);
    this.ledger.addProgram(PERMISSION_PROGRAM_ADDRESS, permissionProgramFile);
    const owned = { owner: MAGIC_PROGRAM_ADDRESS, executable: false, data: new Uint8Array() };
    this.ledger.set({ ...owned, address: MAGIC_CONTEXT_ADDRESS, lamports: 1_000_000_000n });
    this.ledger.set({ ...owned, address: EPHEMERAL_VAULT_ADDRESS, lamports: 10n ** 18n });
  }

  /** Whether the layer has an account to itself, delegated or ephemeral: the base's view of it doesn't count here. */
  keeps(account: Address): boolean {
    return this.#own.has(account);
  }

  send(...instructions: readonly Instruction[]): LayerOutcome {
    const preparations = this.#preparations(instructions);
    const wire = compile([...preparations, ...instructions], FEE_PAYER);
    for (const address of wire.keys) this.#fetch(address);
    for (const address of wire.writable) this.#refuseForeign(address);
    const before = (preparations.length === 0 ? [] : wire.writable).map(
      (address) => [address, this.ledger.account(address)] as const,
    );
    const outcome = this.ledger.sendWire(wire);
    if (!outcome.succeeded) return { outcome, scheduled: NOTHING };
    const scheduled = scheduledBy(outcome);
    if (!this.#canPay(scheduled)) {
      for (const [address, state] of before) {
        if (state === undefined) this.ledger.remove(address);
        else this.ledger.set(state);
      }
      return { outcome: outcome.undone('EphemeralRentUnpaid'), scheduled: NOTHING };
    }
    for (const { account, sponsor, size } of scheduled.created) {
      this.#own.add(account);
      this.#charge(sponsor, rentOf(size));
    }
    for (const { account, sponsor } of scheduled.closed) {
      const size = this.ledger.data(account).length;
      this.forget(account);
      this.#charge(sponsor, -rentOf(size));
    }
    // From now on the layer changes it no more.
    for (const account of scheduled.returns) this.#reassign(account, DELEGATION_PROGRAM_ADDRESS);
    return { outcome, scheduled };
  }

  /** The account as the layer would show it. */
  account(address: Address): State | undefined {
    this.#fetch(address);
    return this.ledger.account(address);
  }

  data(address: Address): Uint8Array {
    this.#fetch(address);
    return this.ledger.data(address);
  }

  /** Puts an account in place that is the layer's own, without a transaction. */
  place(state: State): void {
    this.#own.add(state.address);
    this.ledger.set(state);
  }

  /** Takes away what `place` has put in place. */
  forget(address: Address): void {
    this.release(address);
    this.ledger.remove(address);
  }

  /** The account is back on the base: what was here is only a copy, and stale. */
  release(account: Address): void {
    this.#own.delete(account);
    this.#copied.delete(account);
  }

  /** What lets the double of the Magic program create accounts. */
  #preparations(instructions: readonly Instruction[]): Instruction[] {
    const created = instructions
      .flatMap((instruction) => creatable(instruction, (address) => this.account(address)?.data))
      .filter((address) => this.account(address) === undefined);
    if (created.length === 0) return [];
    return [
      {
        programAddress: MAGIC_PROGRAM_ADDRESS,
        accounts: [
          { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
          ...[...new Set(created)].map((address) => ({ address, role: AccountRole.WRITABLE_SIGNER })),
        ],
        data: PREPARE,
      },
    ];
  }

  #fetch(address: Address): void {
    if (this.#own.has(address) || this.#programs.has(address)) return;
    const writes = this.base.writes(address);
    if (this.#copied.get(address) === writes) return;
    this.#copied.set(address, writes);
    const state = this.base.account(address);
    if (state === undefined) {
      if (this.ledger.account(address) !== undefined) this.ledger.remove(address);
      return;
    }
    if (state.executable) return;
    if (state.owner !== DELEGATION_PROGRAM_ADDRESS) {
      this.ledger.set(state);
      return;
    }
    const record = this.base.account(delegationAccounts(address).delegationRecord);
    if (record === undefined) {
      this.ledger.set(state);
      return;
    }
    this.#own.add(address);
    this.ledger.set({ ...state, owner: ownerInRecord(record.data) });
  }

  /** The real layer refuses to write what is not delegated to it, but for accounts that hold lamports only. */
  #refuseForeign(address: Address): void {
    if (this.#own.has(address)) return;
    const state = this.ledger.account(address);
    if (state !== undefined && state.owner !== SYSTEM_PROGRAM) throw new NotDelegated(address);
  }

  /** The double can't take lamports from another program's account, and so doesn't see how many of one transaction are spent. */
  #canPay({ created }: Scheduled): boolean {
    const prices = new Map<Address, bigint>();
    for (const { sponsor, size } of created) prices.set(sponsor, (prices.get(sponsor) ?? 0n) + rentOf(size));
    return [...prices].every(([sponsor, price]) => {
      const state = this.ledger.account(sponsor);
      return state !== undefined && state.lamports - price >= this.ledger.minimumBalance(state.data.length);
    });
  }

  #charge(sponsor: Address, rent: bigint): void {
    const state = this.ledger.account(sponsor);
    if (state !== undefined) this.ledger.set({ ...state, lamports: state.lamports - rent });
  }

  #reassign(account: Address, owner: Address): void {
    const state = this.ledger.account(account);
    if (state !== undefined) this.ledger.set({ ...state, owner });
  }
}

/** A transaction would write an account that is not delegated to the layer. */
export class NotDelegated extends Error {
  constructor(address: Address) {
    super(`${address} is not delegated to the execution layer`);
  }
}
