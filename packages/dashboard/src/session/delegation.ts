import { ClientError, readDelegation, readDelegationHeader, type Time } from '@payouts/client/browser';

/** Why a pasted delegation is none of this page. The message says what to do. */
export class NotADelegation extends Error {
  override readonly name = 'NotADelegation';
}

/** What a delegation is meant for: this page, with the keys of this tab, at its time. */
type Page = { readonly origin: string; readonly session: string; readonly time: Time };

/**
 * The header's value out of what `payout sign-in` prints. Throws `NotADelegation` with what is wrong; the signature is the
 * coordinator's to check.
 */
export function pastedDelegation(pasted: string, page: Page): string {
  const header = pasted.replaceAll(/\s/g, '').replace(/^payouts-delegation:/i, '');
  const { origin, session, expires } = read(header);
  if (session !== page.session) {
    throw new NotADelegation(
      'This delegation is for another code. Copy the command from this page again: a reload makes a new code.',
    );
  }
  if (new URL(origin).host !== new URL(page.origin).host) {
    throw new NotADelegation(
      `This delegation is for ${origin}, but this page is ${page.origin}: run the command with --api ${page.origin}.`,
    );
  }
  if (expires * 1_000 <= page.time.now())
    throw new NotADelegation('This delegation has expired. Run the command again.');
  return header;
}

function read(header: string) {
  try {
    return readDelegation(readDelegationHeader(header).text);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    throw new NotADelegation('This is not a delegation. Paste the whole line that the command printed.');
  }
}
