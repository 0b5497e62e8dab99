import type { Address } from '@solana/kit';
import type { AccountState } from './account.ts';
import type { Bank } from './bank.ts';
import { BLOCKHASH_LIFETIME, type Blockhashes } from './blockhashes.ts';
import type { History, HistoryEntry } from './history.ts';
import type { Past, SlotState } from './past.ts';
import type { DecodedTransaction } from './transaction.ts';
import type { TransactionErrorJson } from './transactionErrors.ts';

/** What of a ledger is seen. */
interface Seen {
  readonly bank: Bank;
  readonly blockhashes: Blockhashes;
  readonly history: History;
  readonly past: Past;
  readonly slotState: SlotState;
}

/** The ledger as it was at an instant, unix milliseconds. */
export class LedgerView {
  readonly #state: SlotState;

  constructor(
    private readonly ledger: Seen,
    private readonly instant: number,
  ) {
    this.#state = ledger.past.slotAt(instant) ?? ledger.slotState;
  }

  get slot(): number {
    return this.#state.slot;
  }

  /** Blocks since the ledger began. */
  get blockHeight(): bigint {
    return this.#state.blockHeight;
  }

  /** The newest blockhash, base58. */
  get blockhash(): string {
    return this.#state.blockhash;
  }

  /** The last block height at which a transaction with the newest blockhash is taken. */
  get lastValidBlockHeight(): bigint {
    return this.#state.blockHeight + BLOCKHASH_LIFETIME;
  }

  account(address: Address): AccountState | null {
    return this.#account(address, this.ledger.bank.getAccount(address));
  }

  /** The accounts that a program owned. */
  programAccounts(program: Address): AccountState[] {
    const found = new Map<Address, AccountState>();
    const add = (account: AccountState | null): void => {
      if (account !== null && account.owner === program && account.lamports > 0n) found.set(account.address, account);
    };
    for (const account of this.ledger.bank.getProgramAccounts(program)) add(this.#account(account.address, account));
    if (this.instant < Number.POSITIVE_INFINITY) {
      for (const address of this.ledger.past.written) if (!found.has(address)) add(this.account(address));
    }
    return [...found.values()];
  }

  /** Whether a transaction had landed. */
  has({ at }: HistoryEntry): boolean {
    return at <= this.instant;
  }

  /** Whether a transaction could name a blockhash. */
  takes(blockhash: string): boolean {
    return this.ledger.blockhashes.isValid(blockhash, this.blockHeight);
  }

  /** Why a transaction couldn't land, before it is run; null when it could. */
  precheck({ signature, blockhash }: DecodedTransaction): TransactionErrorJson | null {
    const landed = this.ledger.history.get(signature);
    if (landed !== undefined && this.has(landed)) return 'AlreadyProcessed';
    return this.takes(blockhash) ? null : 'BlockhashNotFound';
  }

  #account(address: Address, newest: AccountState | null): AccountState | null {
    return this.ledger.past.accountAt(this.instant, address, newest);
  }
}
