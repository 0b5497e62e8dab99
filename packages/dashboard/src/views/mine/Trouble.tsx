import { TransactionFailed, TransactionUnknown } from '@payouts/client';
import { Failure } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import { WalletFailed, WalletRefused } from '@payouts/pages/session/walletErrors';
import { TroubleNotice } from '../../parts/Trouble.tsx';

/** Errors whose message says what is wrong and what to do. */
const SPEAKING = [Failure, WalletFailed, WalletRefused, TransactionFailed, TransactionUnknown];

/** Why something was not done. */
export function ActionTrouble({ error }: { readonly error: unknown }) {
  if (error instanceof Error && SPEAKING.some((kind) => error instanceof kind)) {
    return (
      <Notice kind={error instanceof WalletRefused ? 'info' : 'bad'} title={error.message} />
    );
  }
  return <TroubleNotice error={error} what="Not done" />;
}
