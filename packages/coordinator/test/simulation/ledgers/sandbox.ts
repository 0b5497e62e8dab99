import type { Address } from '@solana/kit';
import { type Account, type Accounts, type Content, contentOf, type Kind, type ValueOf } from './accounts.ts';

/** A transaction's view of the accounts: what it changes counts only if all of it succeeds. */
export class Sandbox {
  /** The ledger's clock, unix seconds. */
  readonly now: bigint;
  readonly #accounts: Accounts;
  readonly #at: number | undefined;
  readonly #changes = new Map<Address, Account>();

  /** `at` in unix milliseconds: the accounts as they were then; as they are by default. */
  constructor(accounts: Accounts, now: bigint, at?: number) {
    this.#accounts = accounts;
    this.now = now;
    this.#at = at;
  }

  get changes(): ReadonlyMap<Address, Account> {
    return this.#changes;
  }

  get(address: Address): Account | undefined {
    return this.#changes.get(address) ?? this.#accounts.get(address, this.#at);
  }

  put(address: Address, account: Account): void {
    this.#changes.set(address, account);
  }

  value<K extends Kind>(address: Address, kind: K): ValueOf<K> | undefined {
    return contentOf(this.get(address), kind);
  }

  /** Changes some of an account's value; the account must be there. */
  change<K extends Exclude<Kind, 'wallet' | 'tokens'>>(address: Address, kind: K, some: Partial<ValueOf<K>>): void {
    const account = this.get(address) as Account;
    const value = { ...(contentOf(account, kind) as object), ...some };
    this.put(address, { ...account, content: { kind, value } as unknown as Content });
  }

  /** Moves tokens between two token accounts; false if the first has too few. */
  moveTokens(from: Address, to: Address, amount: bigint): boolean {
    const [source, target] = [this.get(from), this.get(to)];
    const [has, had] = [contentOf(source, 'tokens'), contentOf(target, 'tokens')];
    if (source === undefined || target === undefined || has === undefined || had === undefined || has < amount) {
      return false;
    }
    this.put(from, { ...source, content: { kind: 'tokens', value: has - amount } });
    this.put(to, { ...target, content: { kind: 'tokens', value: had + amount } });
    return true;
  }

  /** Moves lamports; false if there are too few. What is not there yet becomes a wallet. */
  moveLamports(from: Address, to: Address, amount: bigint): boolean {
    const source = this.get(from);
    if (source === undefined || source.lamports < amount) return false;
    this.put(from, { ...source, lamports: source.lamports - amount });
    const target = this.get(to) ?? { owner: source.owner, lamports: 0n, content: { kind: 'wallet' } };
    this.put(to, { ...target, lamports: target.lamports + amount });
    return true;
  }
}
