import { signal } from '@preact/signals';
import type { Address } from '@solana/kit';
import type { SolanaSignMessageFeature, SolanaSignTransactionFeature } from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import type { Chain } from './chain.ts';
import { asWalletError, WalletFailed } from './walletErrors.ts';

/** A wallet of this browser that can connect and sign texts for the ledger. */
export type PageWallet = {
  readonly name: string;
  readonly icon: string;
  /** Whether it signs transactions as well. */
  readonly signsTransactions: boolean;
  /** Asks the person for an account. Throws `WalletRefused` or `WalletFailed`. */
  readonly connect: () => Promise<ConnectedWallet>;
};

/** An account of a wallet. Signing throws `WalletRefused` where the person says no, and `WalletFailed` where the wallet can't. */
export type ConnectedWallet = {
  readonly name: string;
  readonly address: Address;
  /** The signature of a text, 64 bytes. */
  readonly signMessage: (message: Uint8Array) => Promise<Uint8Array>;
  /** A transaction's bytes, signed; the wallet may have added to them what it wants to have checked. */
  readonly signTransaction: (transaction: Uint8Array, chain: Chain) => Promise<Uint8Array>;
};

export const wallets = signal<readonly PageWallet[]>([]);

/** Keeps `wallets` true: extensions register whenever they are ready. */
export function watchWallets(): void {
  const registry = getWallets();
  const show = () => {
    wallets.value = registry.get().filter(canSign).map(pageWallet);
  };
  registry.on('register', show);
  registry.on('unregister', show);
  show();
}

const canSign = ({ features }: Wallet): boolean => CONNECT in features && MESSAGES in features;

const CONNECT = 'standard:connect';
const MESSAGES = 'solana:signMessage';
const TRANSACTIONS = 'solana:signTransaction';

type Connect = { readonly connect: () => Promise<{ readonly accounts: readonly WalletAccount[] }> };
type Features = Partial<SolanaSignMessageFeature & SolanaSignTransactionFeature>;

const pageWallet = (wallet: Wallet): PageWallet => ({
  name: wallet.name,
  icon: wallet.icon,
  signsTransactions: TRANSACTIONS in wallet.features,
  async connect() {
    const { connect } = wallet.features[CONNECT] as Connect;
    const { accounts } = await asked(wallet, connect);
    const account = accounts.find(({ features }) => features.includes(MESSAGES));
    if (account === undefined) {
      throw new WalletFailed(`${wallet.name} offers no account that signs texts. Choose one there and try again.`);
    }
    return {
      name: wallet.name,
      address: account.address as Address,
      signMessage: (message) => signMessage(wallet, account, message),
      signTransaction: (transaction, chain) => signTransaction(wallet, account, transaction, chain),
    };
  },
});

async function signMessage(wallet: Wallet, account: WalletAccount, message: Uint8Array): Promise<Uint8Array> {
  const feature = (wallet.features as Features)[MESSAGES];
  const [signed] = (await asked(wallet, async () => feature?.signMessage({ account, message }))) ?? [];
  if (signed === undefined) throw new WalletFailed(`${wallet.name} did not sign. Try again and confirm there.`);
  // Some put a head of their own before it, as hardware wallets need; what is verified elsewhere is this text alone.
  if (!isSame(signed.signedMessage, message)) {
    throw new WalletFailed(
      `${wallet.name} signed another text than it was given. Use an account whose key is in the wallet itself.`,
    );
  }
  return signed.signature;
}

async function signTransaction(
  wallet: Wallet,
  account: WalletAccount,
  transaction: Uint8Array,
  chain: Chain,
): Promise<Uint8Array> {
  const feature = (wallet.features as Features)[TRANSACTIONS];
  if (feature === undefined || !account.features.includes(TRANSACTIONS)) {
    throw new WalletFailed(
      `${wallet.name} signs no transactions without sending them itself. Use another wallet, or have it signed elsewhere.`,
    );
  }
  const isKnown = account.chains.includes(chain);
  if (!isKnown && chain !== 'solana:localnet') {
    throw new WalletFailed(
      `${wallet.name} does not sign for ${chain.replace('solana:', '')}. Choose that network there.`,
    );
  }
  // A ledger of one machine has no name in most wallets: they sign for it without one.
  const input = { account, transaction, ...(isKnown && { chain }) };
  const [signed] = await asked(wallet, () => feature.signTransaction(input));
  if (signed === undefined) throw new WalletFailed(`${wallet.name} did not sign. Try again and confirm there.`);
  return signed.signedTransaction;
}

/** Has a wallet do something; what it throws is told apart. */
async function asked<T>({ name }: Wallet, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw asWalletError(error, name);
  }
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, place) => byte === other[place]);
