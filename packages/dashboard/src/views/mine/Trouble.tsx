import { Notice } from '@payouts/pages/parts/Notice';
import { WalletFailed, WalletRefused } from '@payouts/pages/session/walletErrors';
import { TroubleNotice } from '../../parts/Trouble.tsx';

/** Why something was not done; `what`: that it was not, for whatever is no answer of a wallet. */
export function ActionTrouble({ error, what }: { readonly error: unknown; readonly what?: string }) {
  if (error instanceof WalletRefused) return <Notice kind="info" title={error.message} />;
  if (error instanceof WalletFailed) return <Notice kind="bad" title={error.message} />;
  return <TroubleNotice error={error} {...(what !== undefined && { what })} />;
}
