import { Notice } from '@payouts/pages/parts/Notice';
import { WalletFailed, WalletRefused } from '@payouts/pages/session/walletErrors';
import { TroubleNotice } from '../../parts/Trouble.tsx';

/** Why something was not signed or sent: the person's own no is no trouble. */
export function SigningTrouble({ error, what }: { readonly error: unknown; readonly what: string }) {
  if (error instanceof WalletRefused || error instanceof WalletFailed) {
    return (
      <Notice kind={error instanceof WalletRefused ? 'info' : 'bad'} title={what}>
        {error.message}
      </Notice>
    );
  }
  return <TroubleNotice error={error} what={what} />;
}
