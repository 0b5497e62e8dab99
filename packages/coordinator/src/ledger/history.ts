import { type Address, getBase58Encoder, type Signature } from '@solana/kit';
import { type ConnectionInput, caller, ifKept } from './rpc.ts';

/** An instruction of a transaction's own, with the accounts that it names. */
export type LandedInstruction = {
  readonly program: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
};

/** A transaction in the ledger's history that succeeded. */
export type LandedTransaction = {
  /** Unix milliseconds of the ledger's clock; null where the ledger does not tell. */
  readonly time: number | null;
  readonly instructions: readonly LandedInstruction[];
  /** May be cut short: a ledger keeps ten kilobytes of a transaction's log. */
  readonly logs: readonly string[];
};

/** What the base ledger still tells of what was sent to it: how far back, depends on the node, and may be nothing. */
export interface LedgerHistory {
  /** Of the final transactions that name an address, the newest that are older than `before`; few or none at the end. */
  signatures(address: Address, before?: Signature): Promise<readonly Signed[]>;
  /** A final transaction; undefined if the ledger does not have it any more, or it failed. */
  transaction(signature: Signature): Promise<LandedTransaction | undefined>;
}

export type Signed = { readonly signature: Signature; readonly hasFailed: boolean };

/** Signatures in one answer; fewer mean that there are no older ones. */
export const SIGNATURES_AT_ONCE = 1_000;

const base58 = getBase58Encoder();

type PlainSigned = { readonly signature: Signature; readonly err: unknown };
type PlainTransaction = {
  readonly blockTime: number | null;
  readonly meta: {
    readonly err: unknown;
    readonly logMessages: readonly string[] | null;
    readonly loadedAddresses?: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] };
  } | null;
  readonly transaction: {
    readonly message: {
      readonly accountKeys: readonly Address[];
      readonly instructions: readonly { programIdIndex: number; accounts: readonly number[]; data: string }[];
    };
  };
};

/** The base ledger's history behind its RPC. Its calls throw `RunError` ("ledger-unavailable") when it can't be read. */
export function connectHistory(input: ConnectionInput): LedgerHistory {
  const { read } = caller('base', input);
  const fromTransaction = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 };
  return {
    signatures: (address, before) => {
      const which = { commitment: 'finalized', limit: SIGNATURES_AT_ONCE, ...(before !== undefined && { before }) };
      const found = read('getSignaturesForAddress', [address, which], (found: PlainSigned[]) =>
        found.map(({ signature, err }): Signed => ({ signature, hasFailed: err !== null })),
      );
      return ifKept(found, []);
    },
    transaction: (signature) => {
      const found = read('getTransaction', [signature, fromTransaction], (found: PlainTransaction | null) =>
        found === null ? undefined : landed(found),
      );
      return ifKept(found, undefined);
    },
  };
}

function landed({ blockTime, meta, transaction: { message } }: PlainTransaction): LandedTransaction | undefined {
  if (meta === null || meta.err !== null) return undefined;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...message.accountKeys, ...writable, ...readonly];
  const at = (place: number) => keys[place] as Address;
  return {
    time: blockTime === null ? null : blockTime * 1_000,
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      program: at(programIdIndex),
      accounts: accounts.map(at),
      data: new Uint8Array(base58.encode(data)),
    })),
    logs: meta.logMessages ?? [],
  };
}
