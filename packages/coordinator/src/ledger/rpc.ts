import { setMaxListeners } from 'node:events';
import type { Lifetime, Question, Time } from '@payouts/client';
import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  getBase58Decoder,
  type Signature,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_KEY_EXCLUDED_FROM_SECONDARY_INDEX,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
} from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import type { LedgerMethod } from '../platform/metrics/ledgers.ts';
import { type Metrics, secondsSince } from '../platform/metrics.ts';
import type { SessionScope } from './attestation/settings.ts';
import type {
  AccountsAtSlot,
  BaseLedger,
  Commitment,
  ExecutionLayer,
  Ledger,
  LedgerAccount,
  SendAnswer,
  SignatureStatus,
} from './ledger.ts';
import { isBehind, isBusy, LedgerNodes, NodeBehind } from './nodes.ts';
import { sendAnswerOf } from './refusal.ts';
import { HttpFailure, RpcFailure, rpcCall } from './rpcCall.ts';
import type { Silence } from './silence.ts';

/**
 * Milliseconds to wait before a read is tried again, at least, and up to twice as long: three tries within about a second. What lasts
 * longer is for the engine's retries.
 */
const AGAIN_AFTER_MS = [150, 450];
/** Where all nodes are behind what was shown before, which passes within a second or two. */
const BEHIND_AGAIN_AFTER_MS = [200, 400, 400, 400, 400];
/**
 * Where nobody tries again later, and all nodes refuse calls because they have had too many: the pool waits for them, half a second first and
 * ten at most, three quarters of a minute in all.
 */
const BUSY_AGAIN_AFTER_MS = Array<number>(8).fill(0);
/** HTTP statuses from here on say that a server can't answer. */
const SERVER_ERROR = 500;

/** JSON-RPC errors of a node that does not offer a call, or not for this program: asked again, it says the same. */
const NOT_OFFERED: readonly number[] = [
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_KEY_EXCLUDED_FROM_SECONDARY_INDEX,
];

const isNotOffered = (error: unknown): boolean => error instanceof RpcFailure && NOT_OFFERED.includes(error.code);

const hasNoHistory = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE;

/** What a node tells of the past; nothing, if it keeps no history or does not tell. */
export const ifKept = <T>(answer: Promise<T>, nothing: T): Promise<T> =>
  answer.catch((error: RunError) => {
    if (hasNoHistory(error.cause) || isNotOffered(error.cause)) return nothing;
    throw error;
  });

function unavailable(name: Ledger['name'], method: LedgerMethod, cause: unknown): RunError {
  if (cause instanceof RunError) return cause;
  if (name === 'base' && isNotOffered(cause)) {
    const sentence = `The base ledger's node does not offer ${method}: name another node in BASE_RPC_URL.`;
    return new RunError('ledger-unsupported', sentence, { cause });
  }
  const sentence = isBusy(cause)
    ? 'The base ledger refuses calls: its nodes have had too many.'
    : 'The base ledger does not answer.';
  return name === 'base'
    ? new RunError('ledger-unavailable', sentence, { cause })
    : new RunError('layer-unavailable', 'The execution layer does not answer.', { cause });
}

type PlainAccount = { readonly data: [string, string]; readonly owner: Address; readonly lamports: number };
type MultipleAccounts = { readonly context: { readonly slot: number }; readonly value: (PlainAccount | null)[] };
type ProgramAccount = { readonly pubkey: Address; readonly account: PlainAccount };
type LatestBlockhash = { readonly value: { readonly blockhash: Blockhash; readonly lastValidBlockHeight: number } };
type EpochInfo = { readonly blockHeight: number };
type PlainStatus = { readonly err: unknown; readonly confirmationStatus?: SignatureStatus['commitment'] | null };
type SignatureStatuses = { readonly value: (PlainStatus | null)[] };

const accountOf = (address: Address, { owner, lamports, data }: PlainAccount): LedgerAccount => ({
  address,
  owner,
  lamports: BigInt(lamports),
  data: new Uint8Array(Buffer.from(data[0], 'base64')),
});

/** Accounts of so many base64 characters at the most are recognised, and so many of them: a schedule, a batch or the clock. */
const RECOGNISED_LENGTH = 1_024;
const MOST_RECOGNISED = 4_096;

/** Makes accounts of what a ledger shows. One that is shown as it was before is the same object, so that what it holds is read once. */
function recognising(): typeof accountOf {
  const known = new Map<Address, { readonly shown: PlainAccount; readonly account: LedgerAccount }>();
  return (address, shown) => {
    if (shown.data[0].length > RECOGNISED_LENGTH) return accountOf(address, shown);
    const last = known.get(address);
    const { owner, lamports, data } = shown;
    const isSame = last?.shown.data[0] === data[0] && last.shown.owner === owner && last.shown.lamports === lamports;
    if (isSame) return last.account;
    const account = accountOf(address, shown);
    if (last === undefined && known.size >= MOST_RECOGNISED) known.delete(known.keys().next().value as Address);
    known.set(address, { shown, account });
    return account;
  };
}

/** What is needed of an answer. One out of which it can't be taken is as good as none. */
function taken<Answer, T>(method: string, answer: Answer, take: (answer: Answer) => T): T {
  try {
    return take(answer);
  } catch (cause) {
    throw new Error(`${method} was answered with something else.`, { cause });
  }
}

/** Whether a call's error is an answer all the same: the ledger is there. */
const isAnswer = (error: unknown): boolean =>
  error instanceof RpcFailure ||
  error instanceof NodeBehind ||
  (error instanceof HttpFailure && error.status < SERVER_ERROR);

/**
 * Input of a connection; `url`: one address, or several that commas separate, the preferred one first; `signal` ends its calls when the
 * service stops; `metrics` counts them; `session` where one must be signed in; `silence` is told what is answered; `nodes`: what is known
 * of the addresses, where several connections share it; `isPatient`: nobody tries again later, as behind an operator's command.
 */
export type ConnectionInput = {
  readonly url: string;
  readonly nodes?: LedgerNodes;
  readonly time: Time;
  readonly signal: AbortSignal;
  readonly metrics?: Metrics;
  readonly session?: SessionScope | undefined;
  readonly silence?: Silence;
  readonly isPatient?: boolean;
};

/** What a call is, for a node that may not offer it. */
const nameOf = (method: LedgerMethod, params: readonly unknown[]): string =>
  (params[1] as { searchTransactionHistory?: boolean } | undefined)?.searchTransactionHistory === true
    ? `${method} with history`
    : method;

/** Calls of one ledger's RPC, paced and counted. */
export function caller(name: Ledger['name'], input: ConnectionInput) {
  const { url, time, signal: stopping, metrics, session, silence, isPatient = false } = input;
  const { pool, horizon } = input.nodes ?? new LedgerNodes(name, url, time);
  // Each call under way listens for the service's end, and many are.
  setMaxListeners(0, stopping);

  /** One call to one node, counted by what became of it. */
  async function ask<T>(node: string, method: LedgerMethod, question: Question): Promise<T> {
    const began = time.monotonic();
    const count = (outcome: 'ok' | 'refused' | 'failed') => {
      metrics?.ledgerCalls.inc({ ledger: name, method, outcome });
      metrics?.ledgerCallSeconds.observe({ ledger: name, method }, secondsSince(time, began));
    };
    silence?.begun();
    try {
      const call = (at: string) => rpcCall<T>(at, method, question.params, { signal: stopping, time });
      const answer = await (session === undefined ? call(node) : session.within(node, call));
      if (question.isBehind(answer)) throw new NodeBehind(method);
      silence?.ended(true);
      horizon?.learn(method, question.params, answer);
      count('ok');
      return answer;
    } catch (error) {
      silence?.ended(isAnswer(error));
      // A call that the service's end cut off says nothing about the ledger.
      const isRefusal = method === 'sendTransaction' && sendAnswerOf(error, name) !== undefined;
      if (!stopping.aborted) count(isRefusal ? 'refused' : 'failed');
      throw error;
    }
  }

  const questionOf = (method: LedgerMethod, params: readonly unknown[]): Question =>
    horizon?.asking(method, params) ?? { params, isBehind: () => false };

  /** Puts a question to whichever node can answer it. */
  const put = <T>(method: LedgerMethod, question: Question): Promise<T> =>
    pool.call(nameOf(method, question.params), (node) => ask<T>(node, method, question), stopping);

  const call = <T>(method: LedgerMethod, params: readonly unknown[]): Promise<T> =>
    put(method, questionOf(method, params));

  /** One call, made again after pauses that what it threw is worth; then throws that. */
  async function repeated<T>(once: () => Promise<T>, pausesAfter: (error: unknown) => readonly number[]): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await once();
      } catch (error) {
        const waitMs = pausesAfter(error)[tries];
        if (waitMs === undefined || stopping.aborted) throw error;
        await time.pause(waitMs * (1 + time.random()), stopping);
      }
    }
  }

  /** One read; `take` gets what is needed out of an answer. */
  function read<Answer, T>(method: LedgerMethod, params: readonly unknown[], take: (answer: Answer) => T): Promise<T> {
    const question = questionOf(method, params);
    return repeated(
      async () => taken(method, await put<Answer>(method, question), take),
      (error) => {
        if (isNotOffered(error) || hasNoHistory(error)) return [];
        if (isPatient && isBusy(error)) return BUSY_AGAIN_AFTER_MS;
        return isBehind(error) ? BEHIND_AGAIN_AFTER_MS : AGAIN_AFTER_MS;
      },
    ).catch((error) => {
      throw unavailable(name, method, error);
    });
  }

  /**
   * One send. A node that is behind refuses it before it looks at it, so it is sent again in a moment; whatever else happens, whoever sends
   * decides by what became of the bytes.
   */
  function send(params: readonly unknown[]): Promise<unknown> {
    const question = questionOf('sendTransaction', params);
    return repeated(
      () => put('sendTransaction', question),
      (error) => (isBehind(error) ? BEHIND_AGAIN_AFTER_MS : []),
    );
  }

  return { call, read, send };
}

function connect(name: Ledger['name'], input: ConnectionInput): Ledger {
  const { read, send } = caller(name, input);
  const recognised = recognising();
  /** Until the node says that it has none: then only recent transactions are known by their signatures. */
  let searchTransactionHistory = true;
  return {
    name,

    accounts: (addresses: readonly Address[], commitment: Commitment = 'confirmed'): Promise<AccountsAtSlot> =>
      read(
        'getMultipleAccounts',
        [addresses, { commitment, encoding: 'base64' }],
        ({ context, value }: MultipleAccounts) => ({
          slot: BigInt(context.slot),
          accounts: addresses.map((address, place) => {
            const account = value[place];
            return account ? recognised(address, account) : null;
          }),
        }),
      ),

    programAccounts: (program, holding): Promise<readonly LedgerAccount[]> => {
      const filters = holding.map(({ at, bytes }) => ({
        memcmp: { offset: at, bytes: getBase58Decoder().decode(bytes), encoding: 'base58' },
      }));
      const params = [program, { commitment: 'confirmed', encoding: 'base64', filters }];
      return read('getProgramAccounts', params, (found: ProgramAccount[]) =>
        found.map(({ pubkey, account }) => accountOf(pubkey, account)),
      );
    },

    lifetime: (): Promise<Lifetime> =>
      read('getLatestBlockhash', [{ commitment: 'confirmed' }], ({ value }: LatestBlockhash) => ({
        blockhash: value.blockhash,
        lastValidBlockHeight: BigInt(value.lastValidBlockHeight),
      })),

    // With its slot, so that no node that is behind that slot is asked next whether a transaction has landed.
    blockHeight: (): Promise<bigint> =>
      name === 'layer'
        ? read('getBlockHeight', [{ commitment: 'confirmed' }], (height: number) => BigInt(height))
        : read('getEpochInfo', [{ commitment: 'confirmed' }], ({ blockHeight }: EpochInfo) => BigInt(blockHeight)),

    async statuses(signatures: readonly Signature[]): Promise<readonly (SignatureStatus | null)[]> {
      const ask = () =>
        read('getSignatureStatuses', [signatures, { searchTransactionHistory }], ({ value }: SignatureStatuses) =>
          value.map((status) =>
            status === null ? null : { err: status.err, commitment: status.confirmationStatus ?? 'processed' },
          ),
        );
      return ask().catch((error: RunError) => {
        if (!searchTransactionHistory || !hasNoHistory(error.cause)) throw error;
        searchTransactionHistory = false;
        return ask();
      });
    },

    async send(wire: Base64EncodedWireTransaction): Promise<SendAnswer> {
      const options = {
        encoding: 'base64',
        preflightCommitment: 'confirmed',
        // Preflight failures of the execution layer come without logs; the transaction's own status says more.
        skipPreflight: name === 'layer',
      };
      try {
        await send([wire, options]);
        return { kind: 'taken' };
      } catch (error) {
        const answer = sendAnswerOf(error, name);
        if (answer !== undefined) return answer;
        throw unavailable(name, 'sendTransaction', error);
      }
    },
  };
}

/** The base ledger behind its RPC. */
export const connectBase = (input: ConnectionInput): BaseLedger => connect('base', input) as BaseLedger;

/** The execution layer behind its RPC. */
export const connectLayer = (input: ConnectionInput): ExecutionLayer => connect('layer', input) as ExecutionLayer;
