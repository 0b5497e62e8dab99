import {
  type Address,
  type Blockhash,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type MessagePartialSigner,
  type SignatureBytes,
  type Transaction,
  type TransactionModifyingSigner,
  type TransactionWithinSizeLimit,
  type TransactionWithLifetime,
} from '@solana/kit';
import type { Chain } from './chain.ts';
import { WalletFailed } from './walletErrors.ts';
import type { ConnectedWallet } from './wallets.ts';

/** A wallet as what signs texts for the client. */
export const messageSigner = ({ address, signMessage }: ConnectedWallet): MessagePartialSigner => ({
  address,
  // One after the other: a wallet asks the person for each.
  async signMessages(messages) {
    const signed: Readonly<Record<Address, SignatureBytes>>[] = [];
    for (const { content } of messages) {
      signed.push({ [address]: (await signMessage(new Uint8Array(content))) as SignatureBytes });
    }
    return signed;
  },
});

type Signed = Transaction & TransactionWithinSizeLimit & TransactionWithLifetime;

/** A wallet as what signs transactions of one ledger for the client, which sends them itself. */
export const transactionSigner = (wallet: ConnectedWallet, chain: Chain): TransactionModifyingSigner => ({
  address: wallet.address,
  async modifyAndSignTransactions(transactions) {
    const signed: Signed[] = [];
    for (const transaction of transactions) {
      const bytes = await wallet.signTransaction(new Uint8Array(getTransactionEncoder().encode(transaction)), chain);
      signed.push(takenBack(transaction as Signed, bytes, wallet));
    }
    return signed;
  },
});

/** What a wallet gave back, seen to be the same payment at the same time: it may add checks of its own, and must have signed. */
function takenBack(sent: Signed, bytes: Uint8Array, { name, address }: ConnectedWallet): Signed {
  const back = getTransactionDecoder().decode(bytes);
  if (!back.signatures[address]) throw new WalletFailed(`${name} did not sign. Try again and confirm there.`);
  const [before, after] = [sent, back].map(({ messageBytes }) =>
    getCompiledTransactionMessageDecoder().decode(messageBytes),
  );
  if (before?.lifetimeToken !== after?.lifetimeToken) {
    throw new WalletFailed(
      `${name} gave the transaction another lifetime, so it could not be followed. Have it signed elsewhere, or use another wallet.`,
    );
  }
  return { ...back, lifetimeConstraint: sent.lifetimeConstraint } as Signed & {
    lifetimeConstraint: { blockhash: Blockhash };
  };
}
