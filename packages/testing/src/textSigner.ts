import {
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type KeyPairSigner,
  type MessagePartialSigner,
} from '@solana/kit';

/** What people can read: lines without control characters. */
const READABLE = /^[^\p{Cc}]+(?:\n[^\p{Cc}]*)*$/u;

/**
 * A key as wallets have it that show what they sign: they refuse what is no UTF-8 text, what has letters that nobody sees, and what could be
 * a transaction. Each text that is signed is told to `show`.
 */
export const textSigner = (signer: KeyPairSigner, show: (text: string) => void = () => {}): MessagePartialSigner => ({
  address: signer.address,
  async signMessages(messages, config) {
    for (const { content } of messages) show(readable(new Uint8Array(content)));
    return signer.signMessages(messages, config);
  },
});

/** The text, or an error as such wallets throw it. */
function readable(content: Uint8Array): string {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  if (!READABLE.test(text)) throw new Error('You cannot sign what cannot be shown');
  for (const decoder of [getTransactionDecoder(), getCompiledTransactionMessageDecoder()]) {
    let isTransaction = true;
    try {
      decoder.decode(content);
    } catch {
      isTransaction = false;
    }
    if (isTransaction) throw new Error('You cannot sign transactions as messages');
  }
  return text;
}
