import { addressToBytes, readRelayedTransfer, type WrittenTransfer } from '@payouts/client';
import type { Address, SignatureBytes, Transaction } from '@solana/kit';
import { invalidTransaction, readCanonical } from '../http/canonicalTransaction.ts';
import { verifyEd25519 } from '../http/signatures/ed25519.ts';

/** A transfer that its wallet has signed, and that waits for the signature of whoever pays the fee. */
export type WalletTransfer = WrittenTransfer & Pick<Transaction, 'messageBytes' | 'signatures'>;

/**
 * Reads a transaction in base 64 and checks everything that its bytes say: `payer` pays and does nothing else; the wallet has signed; a
 * limit of compute units and a price, one transfer of a token, and the closing of the account that it empties. Whether the wallet may is for
 * the relay to say.
 *
 * Throws `invalid-transaction`; its sentence repeats nothing of what was sent.
 */
export function readWalletTransfer(text: string, payer: Address): WalletTransfer {
  const { messageBytes, signatures, instructions } = readCanonical(text);
  const written = readRelayedTransfer(instructions);
  if (written === undefined) {
    throw invalidTransaction(
      'It is not a limit of compute units, a price, one transfer and the closing of what that empties',
    );
  }
  const { wallet, source, destination } = written;
  const [first, second, ...others] = Object.keys(signatures);
  if (first !== payer || second !== wallet || others.length > 0) {
    throw invalidTransaction('It must have two signers: the relay, which pays, and the wallet');
  }
  if ([wallet, source, destination, written.closesTo].includes(payer)) {
    throw invalidTransaction('The relay may do nothing in it but pay the fee');
  }
  const signature = signatures[wallet];
  const message = messageBytes as unknown as Uint8Array;
  if (!signature || !verifyEd25519(addressToBytes(wallet), message, signature)) {
    throw invalidTransaction("The wallet's signature does not verify");
  }
  return { ...written, messageBytes, signatures: { [payer]: null as SignatureBytes | null, [wallet]: signature } };
}
