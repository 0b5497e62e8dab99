import { Notice } from '@payouts/pages/parts/Notice';
import { WalletFailed, WalletRefused } from '@payouts/pages/session/walletErrors';
import { TroubleNotice } from '../../parts/Trouble.tsx';

/** Why something was not done. */
export function ActionTrouble({ error }: { readonly error: unknown }) {
  if (error instanceof WalletRefused) return <Notice kind="info" title={error.message} />;
  if (error instanceof WalletFailed) return <Notice kind="bad" title={error.message} />;
  return <TroubleNotice error={error} />;
}
