import {
  isSolanaError,
  type RpcTransport,
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_KEY_EXCLUDED_FROM_SECONDARY_INDEX,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
} from '@solana/kit';
import type { Time } from '../time.ts';
import { NodePool, type NodeTrouble, retryAfterMs } from './nodePool.ts';
import { type Question, SlotHorizon } from './slotHorizon.ts';

const TOO_MANY_REQUESTS = 429;
/** HTTP statuses from which on, and one before, whatever stands in front of a node says nothing of what the node did. */
const SERVER_ERROR = 500;
const REQUEST_TIMEOUT = 408;
/** Milliseconds within which a node answers: one that is silent for longer is taken for one that can't be reached. */
const ANSWER_WITHIN_MS = 15_000;
/** Milliseconds for which a call is made again that all nodes refuse, and between two rounds of it: each time twice as long, up to the most. */
const PATIENCE_MS = 60_000;
/** The same of a transaction's send, which nodes that are behind refuse before they look at it. */
const SEND_PATIENCE_MS = 2_500;
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 4_000;

const BEHIND: readonly number[] = [
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
];
const LACKING: readonly number[] = [
  SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_KEY_EXCLUDED_FROM_SECONDARY_INDEX,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
];

/** What an error of JSON-RPC says of the node; undefined: it has answered. */
export function troubleOfCode(code: number): NodeTrouble | undefined {
  if (BEHIND.includes(code)) return { kind: 'behind' };
  return LACKING.includes(code) ? { kind: 'lacking' } : undefined;
}

/** The same of a client's node; an internal error leaves open what was done, whether the node has it or a gateway. */
const troubleOfAnswer = (code: number): NodeTrouble | undefined =>
  code === SOLANA_ERROR__JSON_RPC__INTERNAL_ERROR ? { kind: 'down' } : troubleOfCode(code);

/** A node that says nothing, told as `fetch` tells of one that can't be reached. */
const silent = (): TypeError => new TypeError('fetch failed', { cause: { code: 'ETIMEDOUT' } });

/** A node's answer that another one may give better; whoever gets no better one takes it. */
class Inferior extends Error {
  constructor(
    readonly trouble: NodeTrouble,
    readonly answer: unknown,
  ) {
    super(`The node is ${trouble.kind}.`);
  }
}

/** What a call's failure says of the node; undefined: nothing. `now`: unix milliseconds. */
function troubleOf(error: unknown, now: number): NodeTrouble | undefined {
  if (error instanceof Inferior) return error.trouble;
  // What `fetch` throws where a connection could not be made, or broke; and what is no JSON is no node's.
  if (error instanceof TypeError || error instanceof SyntaxError) return { kind: 'down' };
  if (!isSolanaError(error)) return undefined;
  if (!isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) return troubleOfAnswer(error.context.__code);
  const { statusCode, headers } = error.context;
  if (statusCode === TOO_MANY_REQUESTS) {
    const header = headers.get('retry-after');
    return { kind: 'busy', retryAfterMs: header === null ? undefined : retryAfterMs(header, now) };
  }
  return statusCode === REQUEST_TIMEOUT || statusCode >= SERVER_ERROR ? { kind: 'down' } : undefined;
}

/** Whether a call's error leaves open what the node did: it is busy, behind, out of reach, or says nothing that makes sense. */
export function isNodeTrouble(error: unknown): boolean {
  const trouble = troubleOf(error, 0);
  return trouble !== undefined && trouble.kind !== 'lacking';
}

/** Input of `patientTransport`: how one node is spoken to, and what the ledger has shown before. */
export type PatientInput = {
  readonly time: Time;
  readonly transportOf: (url: string) => RpcTransport;
  readonly horizon?: SlotHorizon | undefined;
};

type Payload = { readonly method: string; readonly params: readonly unknown[] };
type Answer = { readonly result?: unknown; readonly error?: { readonly code: unknown } };

/**
 * The nodes of one base ledger as kit's transport, asked in turn and again while they are in trouble, a minute at most. A transaction is
 * sent again only where all nodes are behind: after anything else, whoever follows it decides. Once where a connection broke, at once: a
 * node closes one that was idle at the very moment it is used again. Throws what the last call threw.
 */
export function patientTransport(
  urls: readonly string[],
  { time, transportOf, horizon = new SlotHorizon(time) }: PatientInput,
): RpcTransport {
  const pool = new NodePool({ urls, time, troubleOf: (error) => troubleOf(error, time.now()) });
  const transports = new Map(urls.map((url) => [url, transportOf(url)]));

  async function ask(url: string, input: Parameters<RpcTransport>[0], question: Question): Promise<unknown> {
    const { method } = input.payload as Payload;
    const payload = { ...(input.payload as Payload), params: question.params };
    const answer = await answered(transports.get(url) as RpcTransport, { ...input, payload });
    const trouble = answer.error === undefined ? undefined : troubleOfAnswer(Number(answer.error.code));
    if (trouble !== undefined) throw new Inferior(trouble, answer);
    if (question.isBehind(answer.result)) throw new Inferior({ kind: 'behind' }, answer);
    horizon.learn(method, question.params, answer.result);
    return answer;
  }

  /** A node's answer, if it comes in time. */
  async function answered(transport: RpcTransport, input: Parameters<RpcTransport>[0]): Promise<Answer> {
    const late = new AbortController();
    const timer = time.after(ANSWER_WITHIN_MS, () => late.abort(silent()));
    const signal = input.signal === undefined ? late.signal : AbortSignal.any([input.signal, late.signal]);
    try {
      return await transport<Answer>({ ...input, signal });
    } finally {
      timer.cancel();
    }
  }

  return async <T>(input: Parameters<RpcTransport>[0]): Promise<T> => {
    const { method, params } = input.payload as Payload;
    const question = horizon.asking(method, params);
    const isSend = method === 'sendTransaction';
    const until = time.monotonic() + (isSend ? SEND_PATIENCE_MS : PATIENCE_MS);
    let pauseMs = FIRST_PAUSE_MS;
    let isBroken = false;
    for (;;) {
      try {
        return (await pool.call(method, (url) => ask(url, input, question), input.signal)) as T;
      } catch (error) {
        const isBreak = error instanceof TypeError;
        const trouble = troubleOf(error, time.now());
        const isPassing = isSend ? trouble?.kind === 'behind' : trouble !== undefined && trouble.kind !== 'lacking';
        const isOver = !isPassing || time.monotonic() + pauseMs > until;
        // A node that nobody answers at is not waited for: its address is most likely wrong.
        if (isOver || (isBreak && isBroken)) {
          if (error instanceof Inferior) return error.answer as T;
          throw error;
        }
        isBroken ||= isBreak;
        // The pool waits for a busy node itself.
        if (isBreak || trouble?.kind === 'busy') continue;
        await time.pause(pauseMs, input.signal);
        pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS);
      }
    }
  };
}
