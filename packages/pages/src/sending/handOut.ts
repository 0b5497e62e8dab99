import { draftForBase, fromBase64, type HandedOut, sendSigned } from '@payouts/client';
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

/** What was pasted, seen to be the transaction that was handed out with every signature that it needs. Throws `NotTheTransaction`. */
export async function signedCopy({ wire }: Pick<HandedOut, 'wire'>, pasted: string): Promise<Transaction> {
  const [sent, back] = [decoded(wire), decoded(pasted.replaceAll(/\s/g, ''))];
  if (sent === undefined || back === undefined) {
    throw new NotTheTransaction('This is no transaction in base 64. Paste all of what the other program gave.');
  }
  const isSame =
    sent.messageBytes.length === back.messageBytes.length &&
    sent.messageBytes.every((byte, place) => back.messageBytes[place] === byte);
  if (!isSame) {
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
