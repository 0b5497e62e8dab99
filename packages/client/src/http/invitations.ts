import type { Address, MessagePartialSigner } from '@solana/kit';
import { signAddressChange } from '../recipients/addressProof.ts';
import {
  answerInvitation,
  type Invitation,
  type InvitationContent,
  openInvitation,
  readInvitationLink,
} from '../recipients/invitation.ts';
import { ClientError } from './clientError.ts';
import type { SignedSend } from './notices.ts';

/** Sends the coordinator what nobody has to sign, and gives its answer. */
export type PublicPost = <T>(path: string, body: unknown) => Promise<T>;

/** An invitation as an employer has it kept: what it says, and its secret, sealed for the employer. */
export type SealedInvitation = { readonly id: string; readonly content: string; readonly kept: string };

/** An invitation as the coordinator shows it to the employer. */
export type InvitationJson = SealedInvitation & {
  readonly vault: Address;
  /** Unix milliseconds, as all of these. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** In the order in which they came: another address each. */
  readonly answers: readonly { readonly sealed: string; readonly answeredAt: number }[];
};

/** What whoever has a link is shown. */
type OpenInvitationJson = { readonly vault: Address; readonly content: string; readonly expiresAt: number };

/** A recipient's request for another address, as the coordinator shows it to the employer; signatures in base 64 for addresses. */
export type AddressChangeJson = {
  readonly id: string;
  readonly vault: Address;
  readonly present: Address;
  readonly next: Address;
  readonly askedAt: number;
  readonly signatures: { readonly present: string; readonly next: string };
};

/** Invitations that can be sent at once. */
export const MAX_INVITATIONS_AT_ONCE = 100;
/** Milliseconds that an invitation is open, at most. */
export const LONGEST_INVITATION_MS = 90 * 86_400_000;

const INVITATIONS = '/api/invitations';
const CHANGES = '/api/address-changes';

/** Has invitations kept until they expire. Throws what `send` throws, as all of these do. */
export const addInvitations = (
  send: SignedSend,
  wanted: {
    readonly vault: Address;
    readonly expiresAt: number;
    readonly invitations: readonly SealedInvitation[];
  },
): Promise<unknown> => send('POST', INVITATIONS, wanted);

/** The invitations of the employer who signs, oldest first. */
export async function listInvitations(send: SignedSend): Promise<readonly InvitationJson[]> {
  return (await send<{ readonly invitations: readonly InvitationJson[] }>('GET', INVITATIONS)).invitations;
}

/** Forgets an invitation with what was answered, at once; its link opens nothing any more. */
export const removeInvitation = (send: SignedSend, id: string): Promise<unknown> =>
  send('DELETE', `${INVITATIONS}/${encodeURIComponent(id)}`);

/** An invitation that is open, with what it says to whoever has its link; `expiresAt`: unix milliseconds. */
export type OpenedInvitation = InvitationContent & { readonly invitation: Invitation; readonly expiresAt: number };

/** Opens an invitation by its link. Throws `INVALID_INVITATION`, and what `post` throws. */
export async function openLink(post: PublicPost, link: string): Promise<OpenedInvitation> {
  const invitation = readInvitationLink(link);
  const { token } = invitation;
  const { vault, content, expiresAt } = await post<OpenInvitationJson>('/api/invitation-lookups', { token });
  const said = await openInvitation(invitation, content);
  if (said.vault === vault) return { ...said, invitation, expiresAt };
  throw new ClientError(
    'INVALID_INVITATION',
    'The invitation names another employer than who has sent it: ask for a new link.',
  );
}

/** Answers it with the address of whoever signs; returns what to tell the employer. Throws `SIGNATURE_MISSING`, and what `post` throws. */
export async function acceptInvitation(
  post: PublicPost,
  { invitation, vault }: OpenedInvitation,
  signer: MessagePartialSigner,
): Promise<string> {
  const { mark, sealed, check } = await answerInvitation(signer, invitation, vault);
  await post('/api/invitation-answers', { token: invitation.token, mark, sealed });
  return check;
}

/**
 * Asks the employer of a schedule, as somebody whom it pays, to pay another address: both keys sign it, and `send` signs as the one that is
 * paid today. Returns what to tell the employer. Throws `SIGNATURE_MISSING`, and what `send` throws.
 */
export async function requestAddressChange(
  send: SignedSend,
  present: MessagePartialSigner,
  next: MessagePartialSigner,
  { schedulePda, vault, askedAt }: Pick<AddressChangeJson, 'vault' | 'askedAt'> & { readonly schedulePda: Address },
): Promise<string> {
  const { signatures, check } = await signAddressChange(present, next, { vault, askedAt });
  await send('POST', CHANGES, { schedulePda, next: next.address, askedAt, signatures });
  return check;
}

/** What recipients of the employer who signs have asked for, oldest first. */
export async function listAddressChanges(send: SignedSend): Promise<readonly AddressChangeJson[]> {
  return (await send<{ readonly changes: readonly AddressChangeJson[] }>('GET', CHANGES)).changes;
}

/** Forgets a recipient's request, at once. */
export const removeAddressChange = (send: SignedSend, id: string): Promise<unknown> =>
  send('DELETE', `${CHANGES}/${encodeURIComponent(id)}`);
