import { draftForBase, fromBase64, type HandedOut, isSameBytes, sendSigned, toBase64 } from '@payouts/client';
import {
  type Address,
  type Base64EncodedWireTransaction,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Instruction,
  type Signature,
  type Transaction,
} from '@solana/kit';
import type { PageBase } from '../ledgers.ts';
import { WalletFailed } from '../session/walletErrors.ts';
import type { ConnectedWallet } from '../session/wallets.ts';
import { type Sending, sendingTo } from './send.ts';

/** What was pasted is not the transaction that was handed out, signed. The message says what to do. */
export class NotTheTransaction extends Error {
  override readonly name = 'NotTheTransaction';
  readonly code = 'not-the-transaction';
}

/** Makes a transaction for a signer that is elsewhere: its bytes in base 64, to be signed within a minute. */
export const handOut = (ledgers: PageBase, instructions: readonly Instruction[], signer: Address): Promise<HandedOut> =>
  draftForBase(ledgers, instructions, signer);

/**
 * Takes a transaction back that was signed elsewhere, sends it and follows it to its end.
 *
 * @throws NotTheTransaction, TransactionFailed, TransactionUnknown
 */
export async function takeBack(
  ledgers: PageBase,
  handedOut: HandedOut,
  pasted: string,
  sending: Omit<Sending, 'steps'>,
): Promise<Signature> {
  const back = await signedCopy(handedOut, pasted);
  sending.onStage('sending');
  const signature = await sendSigned(sendingTo(ledgers, sending), {
    wire: getBase64EncodedWireTransaction(back),
    signature: getSignatureFromTransaction(back),
    lastValidBlockHeight: handedOut.lastValidBlockHeight,
    signer: handedOut.signer,
  });
  sending.onStage('done');
  return signature;
}

/** The same transaction with a wallet's signature in it, beside those of others. Throws `WalletRefused` or `WalletFailed`. */
export async function withSignature(
  ledgers: PageBase,
  wallet: ConnectedWallet,
  handedOut: HandedOut,
): Promise<HandedOut> {
  const given = fromBase64(handedOut.wire.replaceAll(/\s/g, ''));
  const signed = await wallet.signTransaction(new Uint8Array(given), ledgers.chain);
  const wire = toBase64(signed) as Base64EncodedWireTransaction;
  const back = decoded(wire);
  if (!back?.signatures[wallet.address] || !isSameMessage(decoded(handedOut.wire), back)) {
    throw new WalletFailed(`${wallet.name} changed the transaction, which others sign as it is. Use another wallet.`);
  }
  return { ...handedOut, wire };
}

/** Blocks for which a ledger takes a transaction at most. */
const TAKEN_BLOCKS = 150n;

/**
 * Adds a wallet's signature, the last one, to a transaction that somebody else made and signed, sends it and follows it to its end.
 *
 * @throws WalletRefused, WalletFailed, NotTheTransaction, TransactionFailed, TransactionUnknown
 */
export async function signAndSend(
  ledgers: PageBase,
  wallet: ConnectedWallet,
  text: string,
  sending: Omit<Sending, 'steps'>,
): Promise<Signature> {
  const wire = text.replaceAll(/\s/g, '') as Base64EncodedWireTransaction;
  const lastValidBlockHeight = (await ledgers.base.getBlockHeight().send()) + TAKEN_BLOCKS;
  sending.onStage('asking');
  const signed = await withSignature(ledgers, wallet, { wire, lastValidBlockHeight, signer: wallet.address });
  return takeBack(ledgers, signed, signed.wire, sending);
}

/** Milliseconds between two looks for a transaction that somebody else sends. */
const LOOK_MS = 1_000;

/** Waits for a transaction that somebody else signs and sends: `late` once the ledger takes it no more. */
export async function arrival(
  { base, time }: PageBase,
  { wire, lastValidBlockHeight }: HandedOut,
  abort: AbortSignal,
): Promise<'landed' | 'failed' | 'late' | 'left'> {
  const signature = getSignatureFromTransaction(decoded(wire) as Transaction);
  while (!abort.aborted) {
    const blockHeight = await base.getBlockHeight({ commitment: 'confirmed' }).send();
    const [status] = (await base.getSignatureStatuses([signature]).send()).value;
    if (status?.err) return 'failed';
    if (status?.confirmationStatus === 'finalized') return 'landed';
    if (!status && blockHeight > lastValidBlockHeight) return 'late';
    await time.pause(LOOK_MS);
  }
  return 'left';
}

/** What was pasted, seen to be the transaction that was handed out with every signature that it needs. Throws `NotTheTransaction`. */
export async function signedCopy({ wire }: Pick<HandedOut, 'wire'>, pasted: string): Promise<Transaction> {
  const [sent, back] = [decoded(wire), decoded(pasted.replaceAll(/\s/g, ''))];
  if (sent === undefined || back === undefined) {
    throw new NotTheTransaction('This is no transaction in base 64. Paste all of what the other program gave.');
  }
  if (!isSameMessage(sent, back)) {
    throw new NotTheTransaction(
      'This is another transaction than the one that was handed out. Sign that one as it is.',
    );
  }
  for (const [signer, signature] of Object.entries(back.signatures)) {
    if (signature === null || !(await isSigned(signer as Address, signature, back.messageBytes))) {
      throw new NotTheTransaction(`It is not signed by ${signer} yet. Sign it there and paste what comes back.`);
    }
  }
  return back;
}

const isSameMessage = (one: Transaction | undefined, other: Transaction): boolean =>
  one !== undefined && isSameBytes(one.messageBytes, other.messageBytes);

function decoded(text: string | Base64EncodedWireTransaction): Transaction | undefined {
  try {
    return getTransactionDecoder().decode(fromBase64(text));
  } catch {
    return undefined;
  }
}

async function isSigned(
  signer: Address,
  signature: Uint8Array,
  message: Transaction['messageBytes'],
): Promise<boolean> {
  const bytes = new Uint8Array(getAddressEncoder().encode(signer));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify']);
  return crypto.subtle.verify(
    'Ed25519',
    key,
    new Uint8Array(signature),
    new Uint8Array(message as unknown as Uint8Array),
  );
}
