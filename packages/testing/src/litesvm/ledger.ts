import { addressFromBytes } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import {
  Account,
  Clock,
  ComputeBudget,
  FailedTransactionMetadata,
  FeatureSet,
  LiteSvm,
  type Rent,
} from 'litesvm/dist/internal.js';
import { bytesOf, named } from './addresses.ts';
import { compile, type Wire } from './message.ts';
import { Outcome } from './outcome.ts';
import { SYSTEM_PROGRAM } from './programs.ts';

/** The blake3 syscall exists in the runtime but on no public cluster. */
const BLAKE3 = 'HTW2pSyErTj4BV6KBM9NZ9VBUJVxt7sacNWcf76wtzb3' as Address;
/** Pays every fee, so that nobody else's lamports change but by what an instruction does. */
export const FEE_PAYER = named('fee payer');

/** An account of a ledger. */
export interface State {
  readonly address: Address;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: Address;
  readonly executable: boolean;
}

/** What an account holds leaves the machine when it is first asked for: of most it never is. */
function stateOf(address: Address, account: Account): State {
  let data: Uint8Array | undefined;
  let owner: Address | undefined;
  return {
    address,
    get lamports() {
      return account.lamports();
    },
    get data() {
      data ??= account.data();
      return data;
    },
    get owner() {
      owner ??= addressFromBytes(account.owner());
      return owner;
    },
    get executable() {
      return account.executable();
    },
  };
}

/** One litesvm that checks neither signatures nor blockhashes, and counts the writes of each account. */
export class Ledger {
  readonly #svm: LiteSvm;
  readonly #writes = new Map<Address, number>();
  readonly #minimumBalances = new Map<number, bigint>();
  #slot = 1n;

  /**
   * The base ledger, with the programs that every cluster has; or the layer's, with a rent sysvar of its own, which takes such programs
   * from the base when it needs them.
   */
  constructor(layerRent?: Rent) {
    const features = FeatureSet.allEnabled();
    features.deactivate(bytesOf(BLAKE3));
    const budget = new ComputeBudget();
    budget.computeUnitLimit = 1_400_000n;
    const svm = LiteSvm.default();
    svm.setFeatureSet(features);
    svm.setBuiltins();
    svm.setPrecompiles();
    svm.setSysvars();
    // They take a third of the time in which both ledgers of a world are made.
    if (layerRent === undefined) svm.setDefaultPrograms();
    else svm.setRent(layerRent);
    svm.setComputeBudget(budget);
    svm.setSigverify(false);
    svm.setBlockhashCheck(false);
    svm.setTransactionHistory(0n);
    this.#svm = svm;
    this.fund(FEE_PAYER, 10n ** 18n);
  }

  addProgram(address: Address, file: string): void {
    this.#svm.addProgramFromFile(bytesOf(address), file);
  }

  /** Sends instructions as one transaction. Whoever is marked as a signer counts as one. */
  send(...instructions: readonly Instruction[]): Outcome {
    return this.sendWire(compile(instructions, FEE_PAYER));
  }

  sendWire(wire: Wire): Outcome {
    const outcome = new Outcome(this.#svm.sendLegacyTransaction(wire.bytes), wire);
    if (outcome.succeeded) for (const address of wire.writable) this.#written(address);
    return outcome;
  }

  /** Sends a transaction that leaves no trace if it fails, not even its fee. */
  sendIfGood(wire: Wire): Outcome {
    const payer = bytesOf(wire.keys[0] as Address);
    const before = this.#svm.getAccount(payer);
    const outcome = this.sendWire(wire);
    if (!outcome.succeeded && before !== null) this.#svm.setAccount(payer, before);
    return outcome;
  }

  /** What a transaction would come to; nothing is changed. */
  simulateWire(wire: Wire): Outcome {
    const result = this.#svm.simulateLegacyTransaction(wire.bytes);
    return new Outcome(result instanceof FailedTransactionMetadata ? result : result.meta(), wire);
  }

  account(address: Address): State | undefined {
    const account = this.#svm.getAccount(bytesOf(address));
    return account === null || account.lamports() === 0n ? undefined : stateOf(address, account);
  }

  /** The bytes of an account that must be there. */
  data(address: Address): Uint8Array {
    const account = this.#svm.getAccount(bytesOf(address));
    if (account === null) throw new Error(`no account at ${address}`);
    return account.data();
  }

  /** Puts an account in place without a transaction. */
  set(state: State): void {
    this.#svm.setAccount(
      bytesOf(state.address),
      new Account(state.lamports, state.data, bytesOf(state.owner), state.executable, 0n),
    );
    this.#written(state.address);
  }

  /** Takes an account away without a transaction. */
  remove(address: Address): void {
    this.set({ address, lamports: 0n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false });
  }

  /** Gives a wallet lamports. */
  fund(address: Address, lamports = 1_000_000_000_000n): void {
    this.set({ address, lamports, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false });
  }

  minimumBalance(size: number): bigint {
    const known = this.#minimumBalances.get(size) ?? this.#svm.minimumBalanceForRentExemption(BigInt(size));
    this.#minimumBalances.set(size, known);
    return known;
  }

  /** Amount of a token account of either token program; 0 where there is none. */
  tokens(address: Address): bigint {
    const account = this.#svm.getAccount(bytesOf(address));
    if (account === null || account.lamports() === 0n) return 0n;
    return Buffer.from(account.data()).readBigUInt64LE(64);
  }

  /** Sets what programs read as the present time, and a slot that is the next one. */
  setTime(seconds: bigint): void {
    this.#slot += 1n;
    this.#svm.setClock(new Clock(this.#slot, seconds, 0n, 1n, seconds));
  }

  /** How often an account has been written: another number means that a copy may be stale. */
  writes(address: Address): number {
    return this.#writes.get(address) ?? 0;
  }

  #written(address: Address): void {
    this.#writes.set(address, (this.#writes.get(address) ?? 0) + 1);
  }
}
