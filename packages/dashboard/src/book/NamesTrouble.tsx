import { Notice } from '@payouts/pages/parts/Notice';
import { NamesError } from './namesError.ts';

/** Why names were not opened, read or kept; nothing if all went well. */
export function NamesTrouble({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  // Wallets have no common words for a person's no.
  const said = error instanceof Error && error.message !== '' ? error.message : 'The wallet did not sign.';
  return (
    <Notice kind="bad" title="That did not work.">
      {said} {error instanceof NamesError && <span class="faint">({error.code})</span>}
    </Notice>
  );
}
