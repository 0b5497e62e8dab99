import {
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  pipe,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  type SolanaRpcApi,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';
import type { Time } from '../time.ts';
import type { Ledgers } from './connection.ts';
import { isBusy, isUnanswered, Pauses, whileBusy } from './nodeTrouble.ts';
import { refusal, TransactionFailed } from './transactionFailed.ts';

/** A transaction whose end is not known: it was sent, and may have been executed or may still be. */
export class TransactionUnknown extends Error {
  override readonly name = 'TransactionUnknown';
  readonly code = 'transaction-unknown';

  constructor(readonly signature: Signature) {
    super(
      `The ledger has not said what became of transaction ${signature}: it may have been executed. Look it up before you repeat the command.`,
    );
  }
}

/** Milliseconds between two looks at a transaction: short at first, for a local ledger, then longer, for a cluster. */
const FIRST_LOOK_MS = 20;
const MOST_LOOK_MS = 1_000;
/** Milliseconds after which one that nobody has seen is sent again, as it is. */
const RESEND_MS = 3_000;
/** Milliseconds. Longer than a blockhash lives on any ledger (150 slots of 400 ms) and finality takes. */
const DEADLINE_MS = 120_000;
/** Milliseconds that a layer is given to follow a transaction's accounts on the base ledger, and between two attempts meanwhile. */
const FOLLOWED_WITHIN_MS = 15_000;
const FOLLOW_POLL_MS = 200;

type Options = { readonly isLayer: boolean; readonly commitment: 'confirmed' | 'finalized' };
type Target = Options & { readonly rpc: Rpc<SolanaRpcApi>; readonly time: Time };

/** A signed transaction. */
type Signed = {
  readonly wire: Base64EncodedWireTransaction;
  readonly signature: Signature;
  readonly lastValidBlockHeight: bigint;
};

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
  if (isProcessed(error) && sent.tookMs < DEADLINE_MS) return FIRST_LOOK_MS;
  throw refusal(error.context.logs ?? [], error.cause ?? error.message);
}

const isProcessed = (error: unknown): boolean =>
  error instanceof Error && isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED);

/** Whether a call's error leaves open what the node did. */
const isOpen = (error: unknown): boolean => isBusy(error) || isUnanswered(error);

async function send(
  target: Target,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> {
  const { rpc, time, isLayer } = target;
  const began = time.monotonic();
  for (;;) {
    const { value: blockhash } = await whileBusy(() => rpc.getLatestBlockhash().send(), time);
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(feePayer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(blockhash, message),
        (message) => appendTransactionMessageInstructions(instructions, message),
      ),
    );
    const { lastValidBlockHeight } = blockhash;
    const wire = getBase64EncodedWireTransaction(transaction);
    const signed = { wire, signature: getSignatureFromTransaction(transaction), lastValidBlockHeight };
    try {
      await hand(target, signed);
    } catch (error) {
      // Signed anew, what was sent and not answered could be executed beside this one: it is followed instead.
      if (!isOpen(error)) {
        await time.pause(pauseBeforeAgain(error, { isLayer, tookMs: time.monotonic() - began }));
        continue;
      }
    }
    await new Following(target, signed).settled();
    return signed.signature;
  }
}

const hand = ({ rpc, isLayer }: Target, { wire }: Signed): Promise<unknown> =>
  rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: isLayer, maxRetries: 5n }).send();

/** A transaction that was sent, until its end is known. Calls that fail meanwhile say nothing of it. */
class Following {
  readonly #pauses = new Pauses();
  #lookMs = FIRST_LOOK_MS;

  constructor(
    private readonly target: Target,
    private readonly signed: Signed,
  ) {}

  /** Waits until it has the commitment; throws `TransactionFailed` when it failed or can no longer be executed, or `TransactionUnknown`. */
  async settled(): Promise<void> {
    const { time, commitment } = this.target;
    const deadline = time.monotonic() + DEADLINE_MS;
    let resendAt = time.monotonic() + RESEND_MS;
    let isExpired = false;
    while (time.monotonic() < deadline) {
      const status = await this.#status();
      if (status?.err) throw await this.#failure(status.err);
      if (status?.confirmationStatus === 'finalized' || (status && status.confirmationStatus === commitment)) return;
      if (status === null && isExpired) {
        const message =
          'The ledger did not take the transaction before it expired. Nothing has been changed: repeat the command.';
        throw new TransactionFailed('transaction-expired', message, []);
      }
      if (status === null && time.monotonic() >= resendAt) {
        // One more look comes after it is known that no ledger takes it any more.
        isExpired = await this.#isExpired();
        if (!isExpired) await hand(this.target, this.signed).catch(() => undefined);
        resendAt = time.monotonic() + RESEND_MS;
      }
      await time.pause(this.#lookMs);
      this.#lookMs = Math.min(this.#lookMs * 1.5, MOST_LOOK_MS);
    }
    throw new TransactionUnknown(this.signed.signature);
  }

  /** null: the node has not seen it; undefined: the node did not answer. */
  async #status() {
    return this.#asked(async () => {
      const { value } = await this.target.rpc.getSignatureStatuses([this.signed.signature]).send();
      return value[0] ?? null;
    });
  }

  /** Whether no ledger takes it any more. An execution layer's own blocks say nothing of that. */
  async #isExpired(): Promise<boolean> {
    if (this.target.isLayer) return false;
    const height = await this.#asked(() => this.target.rpc.getBlockHeight({ commitment: 'finalized' }).send());
    return height !== undefined && height > this.signed.lastValidBlockHeight;
  }

  /** Why it failed; without its logs where the node has none. */
  async #failure(err: unknown): Promise<TransactionFailed> {
    const config = { encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
    const found = await whileBusy(
      () => this.target.rpc.getTransaction(this.signed.signature, config).send(),
      this.target.time,
    ).catch(() => null);
    return refusal(found?.meta?.logMessages ?? [], err);
  }

  /** What a call answers; undefined where the node is busy or out of reach, after a pause. */
  async #asked<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!isOpen(error)) throw error;
      await this.target.time.pause(this.#pauses.after(error));
      return undefined;
    }
  }
}

/**
 * Sends a transaction to the base ledger and waits until it is final.
 *
 * @throws TransactionFailed when the ledger refuses it, or it can no longer be executed
 * @throws TransactionUnknown when the ledger doesn't say within 2 minutes what became of it
 */
export const sendToBase = (
  { base, time }: Pick<Ledgers, 'base' | 'time'>,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> => send({ rpc: base, time, isLayer: false, commitment: 'finalized' }, instructions, feePayer);

/**
 * Sends a transaction to the execution layer and waits until it is executed there. It takes no fee. Preflight is skipped: its
 * failures come without logs there. One that the layer is too late to look at is sent again for 15 s.
 *
 * @throws TransactionFailed when the layer refuses it
 * @throws TransactionUnknown when the layer doesn't say within 2 minutes what became of it
 */
export const sendToLayer = (
  { layer, time }: Pick<Ledgers, 'layer' | 'time'>,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> => send({ rpc: layer, time, isLayer: true, commitment: 'confirmed' }, instructions, feePayer);
