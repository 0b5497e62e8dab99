import type { Lifetime } from '@payouts/client';
import {
  type Address,
  type Base64EncodedWireTransaction,
  createSolanaRpc,
  getBase58Decoder,
  isSolanaError,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
} from '@solana/kit';
import pRetry from 'p-retry';
import { RunError } from '../domain/errors.ts';
import { type LedgerMethod, type Metrics, secondsSince } from '../metrics.ts';
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

/** Milliseconds for one answer. */
const TIMEOUT_MS = 10_000;
/** Reads are tried three times within about a second; what lasts longer is for the engine's retries. */
const RETRY = { retries: 2, minTimeout: 150, factor: 3, randomize: true };
const ALREADY_PROCESSED = /already been processed|AlreadyProcessed/;

function unavailable(name: Ledger['name'], cause: unknown): RunError {
  if (cause instanceof RunError) return cause;
  return name === 'base'
    ? new RunError('ledger-unavailable', 'The base ledger does not answer.', { cause })
    : new RunError('layer-unavailable', 'The execution layer does not answer.', { cause });
}

/** The instruction's error inside whatever a send was answered. */
function refusal(error: unknown): Extract<SendAnswer, { kind: 'refused' }> | undefined {
  if (!isSolanaError(error)) return undefined;
  if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) {
    return { kind: 'refused', err: instructionErrorOf(error.cause), logs: error.context.logs ?? [] };
  }
  // Any other answer in JSON-RPC's own error range came from a ledger that could be reached and said no.
  return error.name === 'SolanaError' && error.context.__code < 0
    ? { kind: 'refused', err: error.message, logs: [] }
    : undefined;
}

/** Whether a ledger that could be reached said no to a transaction, or has had it before. */
const isRefusal = (error: unknown): boolean => ALREADY_PROCESSED.test(String(error)) || refusal(error) !== undefined;

/** Kit turns `{InstructionError: [place, {Custom: code}]}` into an error; this turns it back. */
function instructionErrorOf(cause: unknown): unknown {
  if (!isSolanaError(cause)) return cause;
  const { index, code } = cause.context as { index?: unknown; code?: unknown };
  return code === undefined ? cause.message : { InstructionError: [index, { Custom: code }] };
}

type PlainAccount = { readonly data: [string, string]; readonly owner: Address; readonly lamports: number };
type MultipleAccounts = { readonly context: { readonly slot: number }; readonly value: (PlainAccount | null)[] };
type ProgramAccount = { readonly pubkey: Address; readonly account: PlainAccount };

const accountOf = (address: Address, { owner, lamports, data }: PlainAccount): LedgerAccount => ({
  address,
  owner,
  lamports: BigInt(lamports),
  data: new Uint8Array(Buffer.from(data[0], 'base64')),
});

/**
 * Asks for accounts without kit: thousands are read for a settlement, and kit looks at every number of an answer for being large.
 * Here only lamports can be, which are exact up to nine million SOL.
 */
async function readPlain<T>(url: string, method: string, params: readonly unknown[], signal: AbortSignal): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  });
  if (!response.ok) throw new Error(`${method} was answered with HTTP ${response.status}.`);
  const { result, error } = (await response.json()) as { result?: T; error?: { code: number } };
  if (result === undefined) throw new Error(`${method} was answered with error ${error?.code}.`);
  return result;
}

/** Input of a connection; `signal` ends its calls when the service stops; `metrics` counts them. */
export type ConnectionInput = { readonly url: string; readonly signal: AbortSignal; readonly metrics?: Metrics };

function connect(name: Ledger['name'], { url, signal: stopping, metrics }: ConnectionInput): Ledger {
  const rpc = createSolanaRpc(url);
  const signal = () => AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);

  /** One call, counted by what became of it. */
  async function counted<T>(method: LedgerMethod, call: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const count = (outcome: 'ok' | 'refused' | 'failed') => {
      metrics?.ledgerCalls.inc({ ledger: name, method, outcome });
      metrics?.ledgerCallSeconds.observe({ ledger: name, method }, secondsSince(began));
    };
    try {
      const answer = await call();
      count('ok');
      return answer;
    } catch (error) {
      // A call that the service's end cut off says nothing about the ledger.
      if (!stopping.aborted) count(method === 'sendTransaction' && isRefusal(error) ? 'refused' : 'failed');
      throw error;
    }
  }

  async function read<T>(method: LedgerMethod, call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await pRetry(() => counted(method, () => call(signal())), { ...RETRY, signal: stopping });
    } catch (error) {
      throw unavailable(name, error);
    }
  }

  return {
    name,

    accounts: (addresses: readonly Address[], commitment: Commitment = 'confirmed'): Promise<AccountsAtSlot> =>
      read('getMultipleAccounts', async (abortSignal) => {
        const params = [addresses, { commitment, encoding: 'base64' }];
        const { context, value } = await readPlain<MultipleAccounts>(url, 'getMultipleAccounts', params, abortSignal);
        const accounts = addresses.map((address, place) => {
          const account = value[place];
          return account ? accountOf(address, account) : null;
        });
        return { slot: BigInt(context.slot), accounts };
      }),

    programAccounts: (program, holding): Promise<readonly LedgerAccount[]> =>
      read('getProgramAccounts', async (abortSignal) => {
        const filters = holding.map(({ at, bytes }) => ({
          memcmp: { offset: at, bytes: getBase58Decoder().decode(bytes), encoding: 'base58' },
        }));
        const params = [program, { commitment: 'confirmed', encoding: 'base64', filters }];
        const found = await readPlain<ProgramAccount[]>(url, 'getProgramAccounts', params, abortSignal);
        return found.map(({ pubkey, account }) => accountOf(pubkey, account));
      }),

    lifetime: (): Promise<Lifetime> =>
      read('getLatestBlockhash', async (abortSignal) => {
        const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send({ abortSignal });
        return value;
      }),

    blockHeight: (): Promise<bigint> =>
      read('getBlockHeight', async (abortSignal) =>
        BigInt(await rpc.getBlockHeight({ commitment: 'confirmed' }).send({ abortSignal })),
      ),

    statuses: (signatures: readonly Signature[]): Promise<readonly (SignatureStatus | null)[]> =>
      read('getSignatureStatuses', async (abortSignal) => {
        const { value } = await rpc
          .getSignatureStatuses([...signatures], { searchTransactionHistory: true })
          .send({ abortSignal });
        return value.map((status) =>
          status === null ? null : { err: status.err, commitment: status.confirmationStatus ?? 'processed' },
        );
      }),

    // Not repeated here: whoever sends decides by what became of the bytes.
    async send(wire: Base64EncodedWireTransaction): Promise<SendAnswer> {
      try {
        const sending = rpc.sendTransaction(wire, {
          encoding: 'base64',
          preflightCommitment: 'confirmed',
          // Preflight failures of the execution layer come without logs; the transaction's own status says more.
          skipPreflight: name === 'layer',
        });
        await counted('sendTransaction', () => sending.send({ abortSignal: signal() }));
        return { kind: 'taken' };
      } catch (error) {
        if (ALREADY_PROCESSED.test(String(error))) return { kind: 'duplicate' };
        const refused = refusal(error);
        if (refused !== undefined) return refused;
        throw unavailable(name, error);
      }
    },
  };
}

/** The base ledger behind its RPC. */
export const connectBase = (input: ConnectionInput): BaseLedger => connect('base', input) as BaseLedger;

/** The execution layer behind its RPC. */
export const connectLayer = (input: ConnectionInput): ExecutionLayer => connect('layer', input) as ExecutionLayer;
