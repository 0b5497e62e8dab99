import { deriveSalt, type Payee, prepareList, type RecipientList } from '@payouts/client';
import type { Address, MessagePartialSigner } from '@solana/kit';

/** What the employer's key signs for a secret of its own; it can be no transaction, which never begins with a letter. */
export const SALTS_TEXT =
  'Payouts: the secret behind the salts of my recipients. Whoever has this signature can find out whom I pay: sign it for nobody else.';

/**
 * The secret that salts follow from. Only the employer's key can make it (ed25519 signatures of a text are always the same), so each
 * recipient keeps one balance in all of the employer's lists and there is no further secret to keep.
 */
export async function saltsSecret(employer: MessagePartialSigner): Promise<Uint8Array> {
  const content = new TextEncoder().encode(SALTS_TEXT);
  const [signed] = await employer.signMessages([{ content, signatures: {} }]);
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode('payouts salts'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const signature = new Uint8Array(signed?.[employer.address] as Uint8Array);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, signature));
}

/** The list of a payroll, with salts from the employer's secret; without one, new salts, and with them a new private balance for each recipient. */
export const listOf = (payees: readonly Payee[], mint: Address, secret: Uint8Array | undefined): RecipientList =>
  secret === undefined
    ? prepareList(payees)
    : prepareList(payees, { saltFor: (recipient) => deriveSalt(secret, mint, recipient) });
