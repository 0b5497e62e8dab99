import { signal } from '@preact/signals';
import type { SolanaSignMessageFeature } from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet } from '@wallet-standard/base';

/** A wallet of this browser that can connect and sign texts for the ledger. */
export type SigningWallet = { readonly name: string; readonly icon: string; readonly signIn: () => Promise<SignedBy> };
type SignedBy = { readonly address: string; readonly sign: (text: Uint8Array) => Promise<Uint8Array> };

/** A wallet that does not do what it says. The message says what to do. */
export class WalletRefused extends Error {
  override readonly name = 'WalletRefused';
}

type Connect = { readonly connect: () => Promise<{ readonly accounts: Wallet['accounts'] }> };

export const wallets = signal<readonly SigningWallet[]>([]);

/** Keeps `wallets` true: extensions register whenever they are ready. */
export function watchWallets(): void {
  const registry = getWallets();
  const show = () => {
    wallets.value = registry.get().filter(canSign).map(signingWallet);
  };
  registry.on('register', show);
  registry.on('unregister', show);
  show();
}

const canSign = ({ features }: Wallet): boolean => 'standard:connect' in features && 'solana:signMessage' in features;

function signingWallet(wallet: Wallet): SigningWallet {
  return {
    name: wallet.name,
    icon: wallet.icon,
    async signIn() {
      const { connect } = wallet.features['standard:connect'] as Connect;
      const { signMessage } = (wallet.features as unknown as SolanaSignMessageFeature)['solana:signMessage'];
      const { accounts } = await connect();
      const account = accounts.find(({ features }) => features.includes('solana:signMessage'));
      if (account === undefined) {
        throw new WalletRefused(`${wallet.name} offers no account that signs texts. Choose one there and try again.`);
      }
      const sign = async (message: Uint8Array) => {
        const [signed] = await signMessage({ account, message });
        if (signed === undefined) throw new WalletRefused(`${wallet.name} did not sign. Try again and confirm there.`);
        return signed.signature;
      };
      return { address: account.address, sign };
    },
  };
}
