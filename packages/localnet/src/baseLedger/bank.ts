import type { Address } from '@solana/kit';
// The package's public class re-encodes every transaction and sets rent epochs to 0; its raw binding takes bytes as they are.
import {
  Account,
  Clock,
  FailedTransactionMetadata,
  FeatureSet,
  LiteSvm,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import { SLOT_HASHES_SYSVAR, SYSVAR_OWNER } from '../addresses.ts';
import { type AccountState, RENT_EXEMPT_EPOCH } from './account.ts';
import { addressBytes, fromBase58, toAddress, toBase58 } from './base58.ts';
import { type TransactionErrorJson, toTransactionErrorJson } from './transactionErrors.ts';

/** The blake3 syscall exists in the runtime but on no public cluster: a program that needs it must fail here too. */
const BLAKE3_SYSCALL_FEATURE = 'HTW2pSyErTj4BV6KBM9NZ9VBUJVxt7sacNWcf76wtzb3';
/** SIMD-0500 refuses to deploy SBPF v0, v1 and v2; it is planned, and no public cluster had it in July 2026. */
const NO_OLD_DEPLOYMENTS_FEATURE = 'B8JJXCy5amZyWG9r7EnUYLwzXSXTxG7GZ1qZ1qggo83g';

/** An instruction that a program called, in Solana's JSON shape. */
export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  /** base58 */
  readonly data: string;
  readonly stackHeight: number;
}

/** What running a transaction gave. */
export interface TransactionResult {
  readonly err: TransactionErrorJson | null;
  readonly logs: readonly string[];
  readonly innerInstructions: readonly { readonly index: number; readonly instructions: readonly InnerInstruction[] }[];
  readonly unitsConsumed: bigint;
  readonly returnData: { readonly programId: Address; readonly data: string } | null;
  /** lamports */
  readonly fee: bigint;
  /** Accounts after the run; only simulations list them. */
  readonly postAccounts: readonly AccountState[];
}

/** The accounts and the virtual machine. It knows no blockhashes, history or subscribers. */
export class Bank {
  readonly #svm: LiteSvm;

  constructor() {
    const features = FeatureSet.allEnabled();
    for (const feature of [BLAKE3_SYSCALL_FEATURE, NO_OLD_DEPLOYMENTS_FEATURE])
      features.deactivate(fromBase58(feature));
    const svm = LiteSvm.default();
    svm.setFeatureSet(features);
    svm.setBuiltins();
    svm.setPrecompiles();
    svm.setSysvars();
    svm.setDefaultPrograms();
    svm.withNativeMints();
    svm.setSigverify(true);
    // Blockhash age and duplicates are judged by the ledger, which knows slots; here they would only get in the way.
    svm.setBlockhashCheck(false);
    svm.setTransactionHistory(0n);
    this.#svm = svm;
  }

  /** The slot litesvm starts at. */
  get firstSlot(): bigint {
    return this.#svm.getClock().slot;
  }

  /** The account at an address, or null. */
  getAccount(address: Address): AccountState | null {
    const account = this.#svm.getAccount(addressBytes(address));
    return account === null ? null : toState(address, account);
  }

  /** lamports; 0 where there is no account. */
  getBalance(address: Address): bigint {
    return this.#svm.getBalance(addressBytes(address)) ?? 0n;
  }

  /** Puts an account in place without a transaction. */
  setAccount(account: AccountState): void {
    this.#svm.setAccount(
      addressBytes(account.address),
      new Account(account.lamports, account.data, addressBytes(account.owner), account.executable, RENT_EXEMPT_EPOCH),
    );
  }

  /** All accounts a program owns. */
  getProgramAccounts(program: Address): AccountState[] {
    return this.#svm
      .getProgramAccounts(addressBytes(program))
      .map((entry) => toState(toAddress(entry.address), entry.account()));
  }

  /** lamports that exempt `space` bytes of data from rent. */
  minimumBalance(space: bigint): bigint {
    return this.#svm.minimumBalanceForRentExemption(space);
  }

  /** Sets what programs read as the current time. */
  setClock(slot: bigint, epoch: bigint, unixTimestamp: bigint): void {
    this.#svm.setClock(new Clock(slot, unixTimestamp, epoch, epoch + 1n, unixTimestamp));
  }

  /** Sets the SlotHashes sysvar from its serialised form. */
  setSlotHashes(data: Uint8Array): void {
    this.setAccount({ address: SLOT_HASHES_SYSVAR, lamports: 1n, owner: SYSVAR_OWNER, data, executable: false });
  }

  /** Runs a transaction and keeps what it did. */
  execute(wire: Uint8Array): TransactionResult {
    return toExecution(this.#svm.sendVersionedTransaction(wire));
  }

  /** Runs a transaction and keeps nothing. */
  simulate(wire: Uint8Array, verifySignatures: boolean): TransactionResult {
    this.#svm.setSigverify(verifySignatures);
    try {
      const result = this.#svm.simulateVersionedTransaction(wire);
      if (result instanceof FailedTransactionMetadata) return toExecution(result);
      const postAccounts = result.postAccounts().map((entry) => toState(toAddress(entry.address), entry.account()));
      return { ...toExecution(result.meta()), postAccounts };
    } finally {
      this.#svm.setSigverify(true);
    }
  }
}

function toState(address: Address, account: Account): AccountState {
  return {
    address,
    lamports: account.lamports(),
    owner: toAddress(account.owner()),
    data: account.data(),
    executable: account.executable(),
  };
}

function toExecution(result: TransactionMetadata | FailedTransactionMetadata): TransactionResult {
  const failed = result instanceof FailedTransactionMetadata;
  const meta = failed ? result.meta() : result;
  const returned = meta.returnData();
  const returnedBytes = returned.data();
  return {
    err: failed ? toTransactionErrorJson(result) : null,
    logs: meta.logs(),
    innerInstructions: meta
      .innerInstructions()
      .map((instructions, index) => ({ index, instructions: instructions.map(toInnerInstruction) }))
      .filter(({ instructions }) => instructions.length > 0),
    unitsConsumed: meta.computeUnitsConsumed(),
    returnData:
      returnedBytes.length === 0
        ? null
        : { programId: toAddress(returned.programId()), data: Buffer.from(returnedBytes).toString('base64') },
    fee: readFee(meta),
    postAccounts: [],
  };
}

function toInnerInstruction(
  inner: ReturnType<TransactionMetadata['innerInstructions']>[number][number],
): InnerInstruction {
  const instruction = inner.instruction();
  return {
    programIdIndex: instruction.programIdIndex(),
    accounts: [...instruction.accounts()],
    data: toBase58(instruction.data()),
    stackHeight: inner.stackHeight(),
  };
}

/** The fee in lamports. litesvm charges it and prints it last, but has no accessor for it. */
function readFee(meta: TransactionMetadata): bigint {
  const text = meta.toString();
  const digits = /^\d+/.exec(text.slice(text.lastIndexOf('fee: ') + 5))?.[0];
  return BigInt(digits ?? 0);
}
