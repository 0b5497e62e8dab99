import {
  type Address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionSize,
  type Instruction,
  isSolanaError,
  isWritableRole,
  pipe,
  type Rpc,
  type Signature,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__INVALID_REQUEST,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__PARSE_ERROR,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  type SolanaRpcApi,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionMessageBytesBase64,
  type TransactionSigner,
} from '@solana/kit';
import type { Time } from '../time.ts';
import type { Lifetime } from './buildTransaction.ts';
import { computeUnitLimitInstruction, computeUnitPriceInstruction } from './computeBudget.ts';
import type { BaseConnection, Ledgers } from './connection.ts';
import { bidFor, DEFAULT_FEES, unitLimitFor } from './feeBid.ts';
import {
  type Commitment,
  type FollowedLedger,
  followTransaction,
  type SendAnswer,
  type SignatureStatus,
  type SignedBytes,
  type TransactionEnd,
} from './follow.ts';
import type { RawInstruction } from './legacyMessage.ts';
import { Merging } from './merging.ts';
import { isNodeTrouble } from './patientTransport.ts';
import type { KeptBytes, SendingOptions } from './sendingOptions.ts';
import { refusal, TransactionFailed } from './transactionFailed.ts';

/** A transaction whose end is not known: it was sent, and may have been executed or may still be. */
export class TransactionUnknown extends Error {
  override readonly name = 'TransactionUnknown';
  readonly code = 'transaction-unknown';

  /** `then`: what is to be done now. */
  constructor(
    readonly signature: Signature,
    then = 'Look it up before you repeat the command.',
  ) {
    super(`The ledger has not said what became of transaction ${signature}: it may have been executed. ${then}`);
  }
}

/** Where an outbox keeps the transaction: whoever repeats what was done is told about this one first. */
const REPEAT = 'Repeat the command: it asks about this one first, and does nothing twice.';
/** Milliseconds for a transaction's end. Longer than a blockhash lives on any ledger (150 slots of 400 ms) and finality takes. */
const WITHIN_MS = 120_000;
/** How often a transaction is signed at most, each time with twice the bid, where no ledger took the last one. */
const SIGNINGS = 3;
/** Blocks after a transaction's last valid one for which a node without history knows for sure that it landed: it keeps 300 slots' statuses. */
const REMEMBERED_BLOCKS = 100n;
/** Blocks for which a transaction can be executed, and slots in which a ledger surely makes one, for some leaders make none. */
const LIFETIME_BLOCKS = 150n;
const SLOTS_OF_A_BLOCK = 2n;
/** Milliseconds until the next look after one that was not answered. */
const UNANSWERED_MS = 1_000;
/** Milliseconds after which it is said that a transaction has not landed yet. */
const SLOW_MS = 3_000;
/** Milliseconds that a layer is given to follow a transaction's accounts on the base ledger, and between two attempts meanwhile. */
const FOLLOWED_WITHIN_MS = 15_000;
const FOLLOW_POLL_MS = 200;
/** Milliseconds until what was executed before is signed with the next blockhash, if there is one by then. */
const NEXT_BLOCKHASH_MS = 20;
/** Milliseconds that a node is given to say whether it knows a signature before it is sent. */
const KNOWN_WITHIN_MS = 2_000;
/** Compute units that a transaction may use on the base ledger, and accounts that recent fees are told of at once. */
const MOST_UNITS = 1_400_000;
const MOST_ACCOUNTS = 128;
/** Signatures whose statuses a node tells at once. */
const MOST_SIGNATURES = 256;

type Target = { readonly rpc: Rpc<SolanaRpcApi>; readonly time: Time; readonly name: FollowedLedger['name'] };
/** A transaction; `isWhole`: nothing else is sent with it. */
type Draft = {
  readonly isWhole: boolean;
  readonly instructions: readonly Instruction[];
  readonly feePayer: TransactionSigner;
  readonly sending: SendingOptions;
};

/** A ledger by kit's RPC, whose statuses are asked for together. */
function ledgerOf({ rpc, time, name }: Target): FollowedLedger {
  const statuses = new Merging<Signature, readonly (SignatureStatus | null)[]>({
    most: MOST_SIGNATURES,
    ask: async (signatures) => {
      const { value } = await rpc.getSignatureStatuses(signatures).send();
      return value.map((found) => found && { err: found.err, commitment: found.confirmationStatus ?? 'processed' });
    },
    pick: (answer, places) => places.map((place) => answer[place] ?? null),
    time,
  });
  return {
    name,
    statuses: (signatures) => statuses.call(signatures),
    // An execution layer's own blocks say nothing of when it no longer takes a transaction.
    blockHeight: async () =>
      name === 'layer' ? 0n : (await rpc.getEpochInfo({ commitment: 'confirmed' }).send()).blockHeight,
    send: async (wire): Promise<SendAnswer> => {
      try {
        await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: name === 'layer' }).send();
        return { kind: 'taken' };
      } catch (error) {
        if (isOpenOn(name)(error)) throw error;
        // Nobody had sent these bytes before: a node that did not answer has passed them on, or one that did, twice.
        if (isProcessed(error)) return { kind: 'duplicate' };
        return { kind: 'refused', err: error, logs: [] };
      }
    },
  };
}

/** Milliseconds until what was refused is signed anew and sent again, where that is of use; throws what the refusal means if not. */
function pauseBeforeAgain(
  error: unknown,
  sent: Pick<SignedBytes, 'wire'> & { readonly name: Target['name']; readonly tookMs: number },
): number {
  const isUnverified = isSolanaError(
    error,
    SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  );
  // The layer answers so when it was too late to follow the accounts, before it has looked at the transaction.
  if (isUnverified && sent.name === 'layer' && sent.tookMs < FOLLOWED_WITHIN_MS) return FOLLOW_POLL_MS;
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) throw error;
  throw refusal(error.context.logs ?? [], error.cause ?? error.message, sent);
}

const isProcessed = (error: unknown): boolean =>
  error instanceof Error && isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED);

/** Errors by which a node says that it has passed a transaction on to nobody: it is wrong, or the call is. */
const REFUSALS: readonly number[] = [
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__INVALID_REQUEST,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__PARSE_ERROR,
];

/**
 * Whether a call's error leaves open what the node did. On the base ledger that is whatever is no refusal by name: what a gateway answers in a
 * node's place says nothing. A base node that does not know a blockhash yet says nothing either: another one may.
 */
const isOpenOn =
  (name: Target['name']) =>
  (error: unknown): boolean => {
    if (isNodeTrouble(error)) return true;
    if (name === 'layer') return false;
    // Of HTTP's, what is no trouble of a node's is that the call is not let in.
    if (isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) return false;
    const isRefused = isSolanaError(error) && REFUSALS.includes(error.context.__code);
    return !isRefused || isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND);
  };

const message = (instructions: readonly Instruction[], feePayer: TransactionSigner, lifetime: Lifetime) =>
  pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(feePayer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
  );

const budget = ({ program, data }: RawInstruction): Instruction => ({ programAddress: program, data });

/** The accounts that a transaction writes. */
const writtenBy = ({ instructions, feePayer }: Draft): Address[] => {
  const written = instructions
    .flatMap(({ accounts }) => accounts ?? [])
    .flatMap(({ address, role }) => (isWritableRole(role) ? [address] : []));
  return [...new Set([feePayer.address, ...written])].slice(0, MOST_ACCOUNTS);
};

/** The instructions that bid for a transaction's place; none where nobody pays. What a node does not tell is left out. */
async function bidInstructions({ rpc }: Target, draft: Draft, signing: number, lifetime: Lifetime) {
  const policy = draft.sending.fees ?? DEFAULT_FEES;
  if (policy.cap === 0n) return [];
  const recent = await rpc
    .getRecentPrioritizationFees(writtenBy(draft))
    .send()
    .catch(() => []);
  const fees = recent
    .toSorted((a, b) => Number(a.slot - b.slot))
    .map(({ prioritizationFee }) => BigInt(prioritizationFee));
  const { price } = bidFor(fees, policy, signing);
  if (price === 0n) return [];
  const priced = [budget(computeUnitPriceInstruction(price))];
  const tried = message(
    [budget(computeUnitLimitInstruction(MOST_UNITS)), ...priced, ...draft.instructions],
    draft.feePayer,
    lifetime,
  );
  const simulated = await rpc
    .simulateTransaction(getBase64EncodedWireTransaction(compileTransaction(tried)), {
      encoding: 'base64',
      replaceRecentBlockhash: true,
    })
    .send()
    .catch(() => undefined);
  const used = simulated?.value.err === null ? simulated.value.unitsConsumed : undefined;
  if (used === undefined) return priced;
  return [budget(computeUnitLimitInstruction(unitLimitFor(Number(used), MOST_UNITS))), ...priced];
}

/**
 * Signs until the ledger does not know the signature: an earlier call with the same instructions got the same blockhash, and this one would
 * count as that. What lies between may have undone it.
 */
async function signNew(target: Target, ledger: FollowedLedger, draft: Draft, signing: number): Promise<SignedBytes> {
  for (;;) {
    const bytes = await sign(target, draft, signing);
    if (!(await isKnown(target, ledger, bytes.signature))) return bytes;
    await target.time.pause(NEXT_BLOCKHASH_MS);
  }
}

/** Whether a ledger knows a signature. A node that is too busy for the question is not waited for: the blockhash's time runs. */
async function isKnown({ time }: Target, ledger: FollowedLedger, signature: Signature): Promise<boolean> {
  const isOver = new AbortController();
  const late = time.pause(KNOWN_WITHIN_MS, isOver.signal).catch(() => undefined);
  const asked = ledger.statuses([signature]).catch(() => undefined);
  const found = await Promise.race([asked, late]);
  isOver.abort();
  return found?.[0] != null;
}

async function sign(target: Target, draft: Draft, signing: number): Promise<SignedBytes> {
  const { value: lifetime } = await target.rpc.getLatestBlockhash().send();
  const bid = target.name === 'layer' ? [] : await bidInstructions(target, draft, signing, lifetime);
  const transaction = await signTransactionMessageWithSigners(
    message([...bid, ...draft.instructions], draft.feePayer, lifetime),
  );
  const { lastValidBlockHeight } = lifetime;
  const wire = getBase64EncodedWireTransaction(transaction);
  return { wire, signature: getSignatureFromTransaction(transaction), lastValidBlockHeight, isNew: true };
}

/** Follows a transaction through whatever trouble of a node, for two minutes. */
async function follow(
  { time, name }: Target,
  ledger: FollowedLedger,
  { commitment, onAwaiting }: { readonly commitment: Commitment } & Pick<SendingOptions, 'onAwaiting'>,
  bytes: SignedBytes,
): Promise<TransactionEnd> {
  const { signature } = bytes;
  let isTold = false;
  const slow = onAwaiting && time.after(SLOW_MS, () => onAwaiting('landing', signature));
  const onStatus = (status: SignatureStatus) => {
    slow?.cancel();
    if (status.commitment !== 'confirmed' || isTold) return;
    isTold = true;
    onAwaiting?.('finality', signature);
  };
  const how = { ledger, time, commitment, withinMs: WITHIN_MS, isOpen: isOpenOn(name), onStatus };
  try {
    return await followTransaction({ ...how, pauseAfter: () => UNANSWERED_MS, outwaitsRefusals: true }, bytes);
  } finally {
    slow?.cancel();
  }
}

/** Signs and sends until the ledger has it with this commitment. Throws `TransactionFailed` or `TransactionUnknown`. */
async function land(
  target: Target,
  ledger: FollowedLedger,
  draft: Draft,
  commitment: Commitment,
): Promise<SignedBytes> {
  const { time, name } = target;
  const { outbox, about } = draft.sending;
  const began = time.monotonic();
  for (let signing = 1; ; ) {
    const bytes = await signNew(target, ledger, draft, signing);
    const { isNew, ...kept } = bytes;
    await outbox?.keep({ ...kept, signer: draft.feePayer.address, isWhole: draft.isWhole, about });
    const end = await follow(target, ledger, { ...draft.sending, commitment }, bytes);
    if (end.kind === 'unknown') throw new TransactionUnknown(bytes.signature, outbox && REPEAT);
    if (end.kind === 'landed') return bytes;
    await outbox?.drop(bytes.signature);
    if (end.kind === 'failed') throw await failure(target, bytes, end.err);
    if (end.kind === 'refused') {
      await time.pause(pauseBeforeAgain(end.err, { ...bytes, name, tookMs: time.monotonic() - began }));
    } else if (signing === SIGNINGS) {
      const message =
        'The ledger did not take the transaction before it expired. Nothing has been changed: repeat the command.';
      throw new TransactionFailed('transaction-expired', message, []);
    } else signing += 1;
  }
}

/** Why a transaction failed; without its logs and what its accounts held where the node has none. */
async function failure({ rpc }: Target, { wire, signature }: SignedBytes, err: unknown): Promise<TransactionFailed> {
  const config = { encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
  const found = await rpc
    .getTransaction(signature, config)
    .send()
    .catch(() => null);
  return refusal(found?.meta?.logMessages ?? [], err, { wire, lamports: found?.meta?.preBalances });
}

const baseTarget = ({ base, time }: BaseConnection): Target => ({ rpc: base, time, name: 'base' });

/** Waits for all, and throws what the first of them threw: nothing of the others is left under way then. */
async function all<T>(working: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(working);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

/**
 * Sends transactions to the base ledger in steps, those of a step side by side. A step begins when the last one is confirmed, and finality
 * is waited for once, at the end, unless `sending` says that confirmed is enough. Returns the signatures in the order of the transactions.
 *
 * @throws TransactionFailed when the ledger refuses one, or it can no longer be executed
 * @throws TransactionUnknown when the ledger doesn't say within 2 minutes what became of one
 */
export async function sendStepsToBase(
  ledgers: BaseConnection,
  steps: readonly (readonly (readonly Instruction[])[])[],
  feePayer: TransactionSigner,
): Promise<Signature[]> {
  if (ledgers.sending?.instead !== undefined) return ledgers.sending.instead(steps, ledgers.sending.about);
  const target = baseTarget(ledgers);
  const ledger = ledgerOf(target);
  const sending = ledgers.sending ?? {};
  const { commitment = 'finalized', outbox } = sending;
  const isWhole = steps.flat().length === 1;
  const landed: SignedBytes[] = [];
  for (const [place, step] of steps.entries()) {
    const drafts = step.map((instructions) => ({ instructions, feePayer, sending, isWhole }));
    const level = place === steps.length - 1 ? commitment : 'confirmed';
    landed.push(...(await all(drafts.map((draft) => land(target, ledger, draft, level)))));
  }
  const isEnough = steps.length <= 1 || commitment === 'confirmed';
  // What was confirmed before the last step is final by now, or a moment later.
  if (!isEnough) await all(landed.map(settled));
  if (sending.about === undefined) await Promise.all(landed.map(({ signature }) => outbox?.drop(signature)));
  return landed.map(({ signature }) => signature);

  async function settled(bytes: SignedBytes): Promise<void> {
    const end = await follow(target, ledger, { ...sending, commitment }, { ...bytes, isNew: false });
    if (end.kind !== 'landed') throw new TransactionUnknown(bytes.signature, outbox && REPEAT);
  }
}

/**
 * Sends a transaction to the base ledger and waits until it is final, or as `sending` says. It bids for its place what recent ones of the
 * same accounts took, and more each time that it has to be signed again; nothing where nobody pays.
 *
 * @throws TransactionFailed when the ledger refuses it, or it can no longer be executed
 * @throws TransactionUnknown when the ledger doesn't say within 2 minutes what became of it
 */
export async function sendToBase(
  ledgers: BaseConnection,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> {
  const [signature] = await sendStepsToBase(ledgers, [[instructions]], feePayer);
  return signature as Signature;
}

/** A transaction that is to be signed elsewhere, and until which block height a ledger takes it. */
export type HandedOut = {
  readonly wire: Base64EncodedWireTransaction;
  readonly lastValidBlockHeight: bigint;
  readonly signer: Address;
};

/** Makes a transaction of the base ledger, with its bid for a place, that is signed elsewhere. */
export async function draftForBase(
  ledgers: BaseConnection,
  instructions: readonly Instruction[],
  signer: Address,
): Promise<HandedOut> {
  const { transaction, lastValidBlockHeight } = await draftedForBase(ledgers, instructions, signer);
  return { wire: getBase64EncodedWireTransaction(transaction), lastValidBlockHeight, signer };
}

async function draftedForBase(ledgers: BaseConnection, instructions: readonly Instruction[], signer: Address) {
  const target = baseTarget(ledgers);
  const draft: Draft = {
    instructions,
    feePayer: createNoopSigner(signer),
    sending: ledgers.sending ?? {},
    isWhole: true,
  };
  const { value: lifetime } = await target.rpc.getLatestBlockhash().send();
  const bid = await bidInstructions(target, draft, 1, lifetime);
  const transaction = compileTransaction(message([...bid, ...instructions], draft.feePayer, lifetime));
  return { transaction, lastValidBlockHeight: lifetime.lastValidBlockHeight };
}

/** Bytes that the base ledger takes of one transaction at most. */
export const MOST_BYTES = 1_232;

/** Bytes that a transaction of these instructions has, with its bid for a place: more than `MOST_BYTES` no ledger takes. */
export function bytesOf(instructions: readonly Instruction[], payer: Address): number {
  const bid = [budget(computeUnitLimitInstruction(MOST_UNITS)), budget(computeUnitPriceInstruction(1n))];
  const lifetime = { blockhash: payer as string as Blockhash, lastValidBlockHeight: 0n };
  return getTransactionSize(compileTransaction(message([...bid, ...instructions], createNoopSigner(payer), lifetime)));
}

/** Lamports that the base ledger takes as the fee of a transaction of these instructions, which `payer` pays. */
export async function feeFor(
  ledgers: BaseConnection,
  instructions: readonly Instruction[],
  payer: Address,
): Promise<bigint> {
  const { transaction } = await draftedForBase(ledgers, instructions, payer);
  const text = getBase64Decoder().decode(transaction.messageBytes) as TransactionMessageBytesBase64;
  const { value } = await ledgers.base.getFeeForMessage(text).send();
  if (value === null) throw new Error('The ledger does not say its fee. Try again in a moment.');
  return value;
}

/**
 * Sends bytes that were signed elsewhere to the base ledger and waits until they are final, or as `sending` says.
 *
 * @throws TransactionFailed when the ledger refuses them, or they can no longer be executed
 * @throws TransactionUnknown when the ledger doesn't say within 2 minutes what became of them
 */
export async function sendSigned(
  ledgers: BaseConnection,
  bytes: Omit<KeptBytes, 'isWhole' | 'about'>,
): Promise<Signature> {
  const target = baseTarget(ledgers);
  const { commitment = 'finalized', outbox, about, onAwaiting } = ledgers.sending ?? {};
  const { signature } = bytes;
  await outbox?.keep({ ...bytes, isWhole: true, about });
  const signed = { ...bytes, isNew: true };
  const end = await follow(target, ledgerOf(target), { commitment, ...(onAwaiting && { onAwaiting }) }, signed);
  if (end.kind === 'unknown') throw new TransactionUnknown(signature, outbox && REPEAT);
  if (end.kind !== 'landed' || about === undefined) await outbox?.drop(signature);
  if (end.kind === 'failed') throw await failure(target, signed, end.err);
  if (end.kind === 'refused') {
    pauseBeforeAgain(end.err, { ...signed, name: 'base', tookMs: 0 });
    throw end.err;
  }
  if (end.kind === 'expired') {
    throw new TransactionFailed(
      'transaction-expired',
      'The ledger did not take the transaction before it expired. Nothing has been changed: have it made and signed again.',
      [],
    );
  }
  return signature;
}

/**
 * How a transaction ended whose sender did not learn it: its bytes are sent again while a ledger takes them. `unknown` where the ledger
 * doesn't say within 2 minutes, or the transaction is older than what the node remembers.
 */
export async function settleKept(
  ledgers: BaseConnection,
  bytes: Omit<SignedBytes, 'isNew'>,
): Promise<TransactionEnd['kind']> {
  const target = baseTarget(ledgers);
  const { rpc } = target;
  const ledger = ledgerOf(target);
  const { blockHeight, absoluteSlot } = await rpc.getEpochInfo({ commitment: 'confirmed' }).send();
  if (blockHeight > bytes.lastValidBlockHeight) {
    const statusOf = async (config: { readonly searchTransactionHistory: boolean }) =>
      (await rpc.getSignatureStatuses([bytes.signature], config).send()).value[0] ?? null;
    const age = blockHeight - bytes.lastValidBlockHeight;
    const isRemembered = async (): Promise<boolean> => {
      if (age <= REMEMBERED_BLOCKS) return true;
      const first = await rpc.getFirstAvailableBlock().send();
      return first === 0n || first <= absoluteSlot - (age + LIFETIME_BLOCKS) * SLOTS_OF_A_BLOCK;
    };
    let isTold = await isRemembered().catch(() => false);
    const found = await statusOf({ searchTransactionHistory: true }).catch(() => {
      isTold &&= age <= REMEMBERED_BLOCKS;
      return statusOf({ searchTransactionHistory: false });
    });
    if (found === null) return isTold ? 'expired' : 'unknown';
    if (found.err !== null) return 'failed';
    if (found.confirmationStatus === 'finalized') return 'landed';
  }
  const { commitment = 'finalized' } = ledgers.sending ?? {};
  return (await follow(target, ledger, { ...ledgers.sending, commitment }, { ...bytes, isNew: false })).kind;
}

/**
 * Sends a transaction to the execution layer and waits until it is executed there. It takes no fee. Preflight is skipped: its
 * failures come without logs there. One that the layer is too late to look at is sent again for 15 s.
 *
 * @throws TransactionFailed when the layer refuses it
 * @throws TransactionUnknown when the layer doesn't say within 2 minutes what became of it
 */
export async function sendToLayer(
  { layer, time }: Pick<Ledgers, 'layer' | 'time'>,
  instructions: readonly Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> {
  const target: Target = { rpc: layer, time, name: 'layer' };
  const draft = { instructions, feePayer, sending: {}, isWhole: true };
  return (await land(target, ledgerOf(target), draft, 'confirmed')).signature;
}
