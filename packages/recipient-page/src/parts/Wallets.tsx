import { type PageWallet, wallets } from '@payouts/pages/session/wallets';

type Props = { readonly isBusy: boolean; readonly onChoose: (wallet: PageWallet) => void };

/** The wallets of this browser, of which somebody chooses one. */
export const Wallets = ({ isBusy, onChoose }: Props) =>
  wallets.value.length === 0 ? (
    <p>
      No wallet was found in this browser. Install or unlock a Solana wallet that signs messages; on a phone, open this
      page in your wallet’s own browser.
    </p>
  ) : (
    <ul class="wallets">
      {wallets.value.map((wallet) => (
        <li key={wallet.name}>
          <button type="button" disabled={isBusy} onClick={() => onChoose(wallet)}>
            <img src={wallet.icon} alt="" width="20" height="20" />
            {wallet.name}
          </button>
        </li>
      ))}
    </ul>
  );
