import { ApiFailed, ClientError, TransactionFailed, TransactionUnknown } from '@payouts/client';
import { Notice } from '@payouts/pages/parts/Notice';
import { WalletRefused } from '@payouts/pages/session/walletErrors';

/** What to do, by an error's code or status. */
const REMEDIES: Readonly<Record<string, string>> = {
  unreachable: 'Check your connection. Your money is safe; nothing was sent.',
  'transaction-unknown': 'Your money is safe. If it was done, it shows there within a minute.',
  'delegation-invalid': 'Sign in again. If it stays so, compare this device’s clock.',
  'signature-expired': 'Compare this device’s clock with the real time, and sign in again.',
  'rate-limited': 'Wait a moment and try again.',
  'mail-off': 'Give the address of a chat’s webhook instead.',
  'notices-limited': 'Look for the code in your mail, or try again tomorrow.',
  'layer-unavailable': 'Try again in a minute. Your money is safe.',
  'ledger-unavailable': 'Try again in a minute. Your money is safe.',
};

const codeOf = (error: unknown): string | undefined => {
  if (error instanceof ApiFailed) return error.reason ?? error.code;
  const isNamed =
    error instanceof TransactionFailed || error instanceof TransactionUnknown || error instanceof ClientError;
  return isNamed ? error.code : undefined;
};

/** What went wrong, what to do, and the code to name to others. A person's own no is no trouble. */
export function Trouble({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  const said = error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.';
  if (error instanceof WalletRefused) return <Notice kind="info" title={said} />;
  const code = codeOf(error);
  return (
    <Notice kind="bad" title={said}>
      {code !== undefined && (
        <>
          {REMEDIES[code] ?? ''} <span class="faint">({code})</span>
        </>
      )}
    </Notice>
  );
}
