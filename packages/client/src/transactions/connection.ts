import {
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  createDefaultRpcTransport,
  createSolanaRpc,
  createSolanaRpcFromTransport,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  pipe,
  type Rpc,
  type RpcTransport,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  type SolanaRpcApi,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';
import { programError } from '../accounts/errors.ts';
import type { Time } from '../time.ts';
import { type LayerGuest, LayerSession, signInToLayer } from './layerSession.ts';

/** RPC of both ledgers, and the time by which they are waited for. */
export interface Ledgers {
  readonly base: Rpc<SolanaRpcApi>;
  readonly layer: Rpc<SolanaRpcApi>;
  readonly time: Time;
}

/** Connects to the base ledger and the execution layer; a program gives its `systemTime`. */
export const connect = (urls: { readonly baseRpcUrl: string; readonly layerRpcUrl: string }, time: Time): Ledgers => ({
  base: createSolanaRpc(urls.baseRpcUrl),
  layer: createSolanaRpc(urls.layerRpcUrl),
  time,
});

/** Connects to the base ledger and a private execution layer, signed in as a guest who is shown what is theirs. */
export function connectPrivately(
  urls: { readonly baseRpcUrl: string; readonly layerRpcUrl: string },
  guest: LayerGuest,
  time: Time,
): Ledgers {
  const { layerRpcUrl } = urls;
  const session = new LayerSession({
    signIn: () => signInToLayer(layerRpcUrl, guest, { time }),
    time,
    isRefused: isRefusedToken,
  });
  const transport: RpcTransport = <T>(input: Parameters<RpcTransport>[0]) =>
    session.within(layerRpcUrl, (url) => createDefaultRpcTransport({ url })<T>(input));
  return { base: createSolanaRpc(urls.baseRpcUrl), layer: createSolanaRpcFromTransport(transport), time };
}

/** Connects to an execution layer, signed in where it lets nobody in otherwise. Throws `SignInFailed`. */
export async function connectToLayer(url: string, guest: LayerGuest, time: Time): Promise<Ledgers['layer']> {
  const open = createSolanaRpc(url);
  try {
    await open.getLatestBlockhash().send();
    return open;
  } catch (error) {
    if (!isRefusedToken(error)) throw error;
    const { layer } = connectPrivately({ baseRpcUrl: url, layerRpcUrl: url }, guest, time);
    // Signs in now, so that whoever is not let in is told before anything is asked for.
    await layer.getLatestBlockhash().send();
    return layer;
  }
}

/** HTTP statuses by which a layer refuses a token. */
const REFUSED: readonly number[] = [401, 403];

const isRefusedToken = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR) && REFUSED.includes(error.context.statusCode);

/** A transaction that a ledger refused or never took. `code` is the program's own error name where it gave one. */
export class TransactionFailed extends Error {
  override readonly name = 'TransactionFailed';
  readonly code: string;
  readonly logs: readonly string[];

  constructor(code: string, message: string, logs: readonly string[]) {
    super(message);
    this.code = code;
    this.logs = logs;
  }
}

const POLL_MS = 20;
/** Longer than a blockhash lives on any ledger: 150 slots of 400 ms. */
const DEADLINE_MS = 90_000;
/** Milliseconds that a layer is given to follow a transaction's accounts on the base ledger, and between two tries meanwhile. */
const FOLLOWED_WITHIN_MS = 15_000;
const FOLLOW_POLL_MS = 200;

/** The program's own error in a transaction's logs, else what the ledger said. */
function failed(logs: readonly string[], said: unknown): TransactionFailed {
  for (const line of logs) {
    const hex = /custom program error: 0x([0-9a-f]+)/.exec(line)?.[1];
    if (hex !== undefined) {
      const known = programError(Number.parseInt(hex, 16));
      if (known !== undefined) return new TransactionFailed(known.name, known.message, logs);
    }
  }
  const text = JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return new TransactionFailed('transaction-failed', `The ledger refused the transaction: ${text}`, logs);
}

/** Milliseconds until what was refused is signed anew and sent again, where that is of use; throws what the refusal means if not. */
function pauseBeforeAgain(error: unknown, sent: { readonly isLayer: boolean; readonly tookMs: number }): number {
  const isUnverified = isSolanaError(
    error,
    SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  );
  // The layer answers so when it was too late to follow the accounts, before it has looked at the transaction.
  if (isUnverified && sent.isLayer && sent.tookMs < FOLLOWED_WITHIN_MS) return FOLLOW_POLL_MS;
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) throw error;
  // An earlier call with the same instructions got the same blockhash, so this one counts as that. What lies between may have
  // undone it: it is signed anew with the next blockhash.
  const isRepeated = isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED);
  if (isRepeated && sent.tookMs < DEADLINE_MS) return POLL_MS;
  throw failed(error.context.logs ?? [], error.cause ?? error.message);
}

async function send(
  rpc: Rpc<SolanaRpcApi>,
  time: Time,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
  options: { readonly skipPreflight: boolean; readonly commitment: 'confirmed' | 'finalized' },
): Promise<Signature> {
  const began = time.monotonic();
  for (;;) {
    const { value: blockhash } = await rpc.getLatestBlockhash().send();
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(feePayer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(blockhash, message),
        (message) => appendTransactionMessageInstructions(instructions, message),
      ),
    );
    const wire: Base64EncodedWireTransaction = getBase64EncodedWireTransaction(transaction);
    const config = { encoding: 'base64', skipPreflight: options.skipPreflight, maxRetries: 5n } as const;
    try {
      await rpc.sendTransaction(wire, config).send();
    } catch (error) {
      await time.pause(pauseBeforeAgain(error, { isLayer: options.skipPreflight, tookMs: time.monotonic() - began }));
      continue;
    }
    const signature = getSignatureFromTransaction(transaction);
    await settled(rpc, time, signature, options.commitment);
    return signature;
  }
}

/** Waits until a transaction has the commitment; throws `TransactionFailed` when it failed or never came. */
async function settled(
  rpc: Rpc<SolanaRpcApi>,
  time: Time,
  signature: Signature,
  commitment: 'confirmed' | 'finalized',
): Promise<void> {
  const deadline = time.monotonic() + DEADLINE_MS;
  while (time.monotonic() < deadline) {
    const status = (await rpc.getSignatureStatuses([signature]).send()).value[0];
    if (status?.err) {
      const found = await rpc
        .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
        .send();
      throw failed(found?.meta?.logMessages ?? [], status.err);
    }
    if (status && (status.confirmationStatus === 'finalized' || status.confirmationStatus === commitment)) return;
    await time.pause(POLL_MS);
  }
  throw new TransactionFailed('not-confirmed', 'The ledger did not confirm the transaction in time.', []);
}

/**
 * Sends a transaction to the base ledger and waits until it is final.
 *
 * @throws TransactionFailed when the ledger refuses it or doesn't confirm it within 90 s.
 */
export const sendToBase = (
  ledgers: Pick<Ledgers, 'base' | 'time'>,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> =>
  send(ledgers.base, ledgers.time, instructions, feePayer, { skipPreflight: false, commitment: 'finalized' });

/**
 * Sends a transaction to the execution layer and waits until it is executed there. It takes no fee. Preflight is skipped: its
 * failures come without logs there. One that the layer is too late to look at is sent again for 15 s.
 *
 * @throws TransactionFailed when the layer refuses it.
 */
export const sendToLayer = (
  ledgers: Pick<Ledgers, 'layer' | 'time'>,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> =>
  send(ledgers.layer, ledgers.time, instructions, feePayer, { skipPreflight: true, commitment: 'confirmed' });
