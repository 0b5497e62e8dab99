import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { addressFromBytes } from '@payouts/client';
import type { SignatureBytes, TransactionPartialSigner } from '@solana/kit';

/** What stands before the 32 bytes of an ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** An execution authority whose key follows from its seed of 32 bytes. It signs at once, where kit would ask another thread. */
export function authorityOf(seed: Uint8Array): TransactionPartialSigner {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const address = addressFromBytes(new Uint8Array(spki.subarray(spki.length - KEY_BYTES)));
  return {
    address,
    async signTransactions(transactions) {
      return transactions.map(({ messageBytes }) => ({
        [address]: new Uint8Array(sign(null, Uint8Array.from(messageBytes), key)) as SignatureBytes,
      }));
    },
  };
}
