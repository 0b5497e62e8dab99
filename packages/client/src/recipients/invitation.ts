import type { Address, MessagePartialSigner } from '@solana/kit';
import { hmacSha256, toHex } from '#platform';
import { addressToBytes, isAddressText } from '../accounts/base58.ts';
import { concatenate } from '../bytes.ts';
import { repeatedSignature } from '../http/authorisation.ts';
import { fromBase64Url, toBase64Url } from '../http/base64.ts';
import { ClientError } from '../http/clientError.ts';
import { sha256 } from '../merkle/hash.ts';
import { checkCodeOf, givenAddressMessage, isSignedBy, signGivenAddress } from './addressProof.ts';

const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
/** Texts are filled up to this, so that their length says nothing about a name. */
const BLOCK = 256;
/** Where the recipients' page has an invitation. */
const PLACE = '#/invitation/';

const utf8 = (text: string) => new TextEncoder().encode(text);

/** What follows from an invitation's secret, which is in its link alone. */
export type Invitation = {
  /** 32 bytes. */
  readonly secret: Uint8Array;
  /** What whoever has the link shows the coordinator. */
  readonly token: string;
  /** Hash of the token: by what the coordinator knows the invitation. */
  readonly id: string;
};

/** What an invitation says, to whoever has its link alone. */
export type InvitationContent = {
  /** The employer's vault. */
  readonly vault: Address;
  /** Whom the employer invites, as their payroll has them. */
  readonly name: string;
  /** As whom the employer writes; empty: they don't say. */
  readonly from: string;
};

/** An answer that was opened: the address, with a proof of its key, and what to compare with whoever gave it. */
export type InvitationAnswer = { readonly address: Address; readonly check: string };

/** The invitation of a secret. */
export function invitationOf(secret: Uint8Array): Invitation {
  const token = hmacSha256(secret, utf8('token'));
  return { secret, token: toBase64Url(token), id: toHex(sha256(token)) };
}

/** An invitation that nobody has seen. */
export const newInvitation = (): Invitation => invitationOf(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));

/** The link of an invitation; `page`: where the recipients' page is. What is behind the `#` is sent to no server. */
export const invitationLink = (page: string, { secret }: Invitation): string => `${page}${PLACE}${toBase64Url(secret)}`;

/** The invitation of a link, or of what is behind its last `/`. Throws `INVALID_INVITATION`, which repeats nothing of it. */
export function readInvitationLink(link: string): Invitation {
  const secret = fromBase64Url(link.trim().split('/').at(-1) as string);
  if (secret?.length === SECRET_BYTES) return invitationOf(secret);
  throw new ClientError('INVALID_INVITATION', 'This is not the whole link of an invitation: copy it again.');
}

/** Seals what an invitation says. */
export const sealInvitation = (invitation: Invitation, content: InvitationContent): Promise<string> =>
  seal(contentKey(invitation), JSON.stringify(content), placeOf(invitation, 'content'));

/** Opens it again. Throws `INVALID_INVITATION`. */
export async function openInvitation(invitation: Invitation, sealed: string): Promise<InvitationContent> {
  const text = await open(contentKey(invitation), sealed, placeOf(invitation, 'content'));
  const { vault, name, from } = parsed(text);
  if (typeof vault === 'string' && isAddressText(vault) && typeof name === 'string' && typeof from === 'string') {
    return { vault, name, from };
  }
  throw unreadable();
}

/**
 * An answer, sealed for whoever has sent the invitation: an address, and that its key has signed for this employer and this invitation.
 * `mark` is the same for the same address, so that an answer that is sent again is no second one. Throws `SIGNATURE_MISSING`.
 */
export async function answerInvitation(
  signer: MessagePartialSigner,
  invitation: Invitation,
  vault: Address,
): Promise<{ readonly mark: string; readonly sealed: string; readonly check: string }> {
  const given = { vault, invitation: invitation.id, address: signer.address };
  const signature = await signGivenAddress(signer, given);
  const content = JSON.stringify({ address: signer.address, signature: toBase64Url(signature) });
  const mark = hmacSha256(
    invitation.secret,
    concatenate([utf8('mark'), new Uint8Array(addressToBytes(signer.address))]),
  );
  return {
    mark: toBase64Url(mark),
    sealed: await seal(contentKey(invitation), content, placeOf(invitation, 'answer')),
    check: checkCodeOf(givenAddressMessage(given)),
  };
}

/** An answer; undefined where it does not open, or the address has not signed that it is given to this employer for this invitation. */
export async function openAnswer(
  invitation: Invitation,
  vault: Address,
  sealed: string,
): Promise<InvitationAnswer | undefined> {
  const text = await open(contentKey(invitation), sealed, placeOf(invitation, 'answer')).catch(() => '{}');
  const { address, signature } = parsed(text);
  const bytes = typeof signature === 'string' ? fromBase64Url(signature) : undefined;
  if (typeof address !== 'string' || !isAddressText(address) || bytes === undefined) return undefined;
  const message = givenAddressMessage({ vault, invitation: invitation.id, address });
  return (await isSignedBy(address, message, bytes)) ? { address, check: checkCodeOf(message) } : undefined;
}

/** The text whose signature opens an employer's invitations. It never changes: another text would be another key. */
export const invitationsKeyMessage = (): Uint8Array =>
  utf8(
    [
      'Payouts: open my invitations',
      '',
      'Whoever has this signature can read whom you have invited and what they have answered. Sign this only where you pay your people, and nowhere else.',
      '',
      'Version: 1',
    ].join('\n'),
  );

/** The key to an employer's invitations, the same each time: nothing has to be kept. Throws `SIGNATURE_MISSING` or `SIGNATURES_DIFFER`. */
export async function invitationsKey(employer: MessagePartialSigner): Promise<Uint8Array> {
  const signature = await repeatedSignature(
    employer,
    invitationsKeyMessage(),
    'so invitations sealed by it could not be opened again. Use',
  );
  return hmacSha256(signature, utf8('payouts/invitations/v1'));
}

/** Keeps an invitation's secret for the employer. */
export const keepInvitation = (key: Uint8Array, invitation: Invitation): Promise<string> =>
  seal(key, toBase64Url(invitation.secret), placeOf(invitation, 'kept'));

/** An invitation that was kept so, by its id. Throws `INVALID_INVITATION`. */
export async function keptInvitation(key: Uint8Array, id: string, kept: string): Promise<Invitation> {
  const secret = fromBase64Url((await open(key, kept, placeOf({ id }, 'kept'))).trim());
  const invitation = secret && invitationOf(secret);
  if (invitation?.id === id) return invitation;
  throw unreadable();
}

const contentKey = ({ secret }: Invitation): Uint8Array => hmacSha256(secret, utf8('content'));
const placeOf = ({ id }: Pick<Invitation, 'id'>, part: 'content' | 'answer' | 'kept') =>
  utf8(`invitation ${id}: ${part}`);

/** AES-256-GCM: nonce ‖ ciphertext, as text; filled up to whole blocks. */
async function seal(key: Uint8Array, text: string, additionalData: Uint8Array): Promise<string> {
  const plain = utf8(text);
  const filled = new Uint8Array(Math.ceil(plain.length / BLOCK) * BLOCK).fill(0x20);
  filled.set(plain);
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt(cipherOf(iv, additionalData), await keyOf(key), filled);
  return toBase64Url(concatenate([iv, new Uint8Array(sealed)]));
}

async function open(key: Uint8Array, sealed: string, additionalData: Uint8Array): Promise<string> {
  const bytes = fromBase64Url(sealed) ?? new Uint8Array();
  const [iv, content] = [new Uint8Array(bytes.subarray(0, NONCE_BYTES)), new Uint8Array(bytes.subarray(NONCE_BYTES))];
  try {
    return new TextDecoder().decode(
      await crypto.subtle.decrypt(cipherOf(iv, additionalData), await keyOf(key), content),
    );
  } catch {
    throw unreadable();
  }
}

const keyOf = (key: Uint8Array) =>
  crypto.subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['encrypt', 'decrypt']);
const cipherOf = (iv: Uint8Array<ArrayBuffer>, additionalData: Uint8Array) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new Uint8Array(additionalData),
});

function parsed(json: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(json) as Readonly<Record<string, unknown>> | null) ?? {};
  } catch {
    return {};
  }
}

const unreadable = (): ClientError =>
  new ClientError('INVALID_INVITATION', 'The invitation does not open: it is by another key, or was changed.');
