import {
  type Balance,
  type Batch,
  type Counter,
  getBalanceEncoder,
  getBatchEncoder,
  getCounterEncoder,
  getPageEncoder,
  getPoolEncoder,
  getScheduleEncoder,
  getVaultEncoder,
  type Page,
  type Pool,
  type Schedule,
  type Vault,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { LedgerAccount } from '../../../src/ledger/ledger.ts';

/** What an account holds; a token account its amount in base units, a wallet nothing but lamports. */
export type Content =
  | { readonly kind: 'schedule'; readonly value: Schedule }
  | { readonly kind: 'batch'; readonly value: Batch }
  | { readonly kind: 'vault'; readonly value: Vault }
  | { readonly kind: 'pool'; readonly value: Pool }
  | { readonly kind: 'counter'; readonly value: Counter }
  | { readonly kind: 'page'; readonly value: Page }
  | { readonly kind: 'balance'; readonly value: Balance }
  | { readonly kind: 'tokens'; readonly value: bigint }
  | { readonly kind: 'wallet' };

export type Kind = Content['kind'];
/** The value of an account of a kind. */
export type ValueOf<K extends Kind> = Extract<Content, { readonly kind: K; readonly value: unknown }>['value'];

/** An account at one moment. */
export type Account = { readonly owner: Address; readonly lamports: bigint; readonly content: Content };

type Version = { readonly at: number; readonly account: Account; shown: LedgerAccount | undefined };

const encoders = {
  schedule: getScheduleEncoder(),
  batch: getBatchEncoder(),
  vault: getVaultEncoder(),
  pool: getPoolEncoder(),
  counter: getCounterEncoder(),
  page: getPageEncoder(),
  balance: getBalanceEncoder(),
};

/** An account of SPL Token, and where its amount stands. */
const TOKEN_BYTES = 165;
const AMOUNT_AT = 64;
/** Milliseconds for which former versions are kept: longer than anybody asks back. */
const KEPT_MS = 300_000;

function encode(content: Content): Uint8Array {
  switch (content.kind) {
    case 'tokens': {
      const data = new Uint8Array(TOKEN_BYTES);
      new DataView(data.buffer).setBigUint64(AMOUNT_AT, content.value, true);
      return data;
    }
    case 'wallet':
      return new Uint8Array(0);
    case 'schedule':
      return Uint8Array.from(encoders.schedule.encode(content.value));
    case 'batch':
      return Uint8Array.from(encoders.batch.encode(content.value));
    case 'vault':
      return Uint8Array.from(encoders.vault.encode(content.value));
    case 'pool':
      return Uint8Array.from(encoders.pool.encode(content.value));
    case 'counter':
      return Uint8Array.from(encoders.counter.encode(content.value));
    case 'page':
      return Uint8Array.from(encoders.page.encode(content.value));
    case 'balance':
      return Uint8Array.from(encoders.balance.encode(content.value));
  }
}

/** The accounts of a ledger as they were at any moment of the last minutes. */
export class Accounts {
  /** Versions of each account, the newest last. */
  readonly #versions = new Map<Address, Version[]>();
  readonly #ofKind = new Map<Kind, Set<Address>>();

  /** Unix milliseconds; later than any put before at this address. */
  put(address: Address, account: Account, at: number): void {
    const { kind } = account.content;
    const ofKind = this.#ofKind.get(kind) ?? new Set();
    this.#ofKind.set(kind, ofKind.add(address));
    const versions = this.#versions.get(address) ?? [];
    this.#versions.set(address, versions);
    // Asked back for a moment, one sees the last version that is not later.
    while (versions.length > 1 && (versions[1] as Version).at < at - KEPT_MS) versions.shift();
    versions.push({ at, account, shown: undefined });
  }

  /** As it was at a moment, now by default. */
  get(address: Address, at = Number.POSITIVE_INFINITY): Account | undefined {
    return this.#version(address, at)?.account;
  }

  /** As a ledger shows it. */
  show(address: Address, at?: number): LedgerAccount | null {
    const version = this.#version(address, at ?? Number.POSITIVE_INFINITY);
    if (version === undefined) return null;
    const { owner, lamports, content } = version.account;
    version.shown ??= { address, owner, lamports, data: encode(content) };
    return version.shown;
  }

  /** Addresses of all accounts that have ever been of a kind. */
  ofKind(kind: Kind): Iterable<Address> {
    return this.#ofKind.get(kind) ?? [];
  }

  #version(address: Address, at: number): Version | undefined {
    const versions = this.#versions.get(address);
    if (versions === undefined) return undefined;
    for (let place = versions.length - 1; place >= 0; place--) {
      const version = versions[place] as Version;
      if (version.at <= at) return version;
    }
    return undefined;
  }
}

/** The value in an account of a kind; undefined for one of another kind. */
export function contentOf<K extends Kind>(account: Account | undefined, kind: K): ValueOf<K> | undefined {
  const content = account?.content;
  if (content?.kind !== kind || !('value' in content)) return undefined;
  return content.value as ValueOf<K> | undefined;
}
