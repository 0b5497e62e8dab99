import {
  type AddressChangeJson,
  addInvitations,
  addressChangeMessage,
  checkCodeOf,
  fromBase64Url,
  type InvitationJson,
  invitationLink,
  invitationsKey,
  isSignedBy,
  keepInvitation,
  keptInvitation,
  listAddressChanges,
  listInvitations,
  MAX_INVITATIONS_AT_ONCE,
  newInvitation,
  openAnswer,
  openInvitation,
  removeAddressChange,
  removeInvitation,
  type SignedSend,
  sealInvitation,
  typedCode,
} from '@payouts/client';
import type { WrittenAddress } from '@payouts/payroll';
import type { Address, MessagePartialSigner } from '@solana/kit';
import { Failure } from './failure.ts';
import { plainName } from './preview.ts';

/** What opens an employer's invitations, and how their requests are sent. */
export type InvitingSession = { readonly key: Uint8Array; readonly send: SignedSend };

/** Has the employer sign what opens their invitations, twice. Throws `SIGNATURE_MISSING` or `SIGNATURES_DIFFER`. */
export const invitingSession = async (employer: MessagePartialSigner, send: SignedSend): Promise<InvitingSession> => ({
  key: await invitationsKey(employer),
  send,
});

/** What is said of so many that wait and don't open. */
export const unreadableText = (count: number): string =>
  count === 1
    ? "One that waits here was made by another key, or changed: it doesn't open."
    : `${count} that wait here were made by another key, or changed: they don't open.`;

/** What is said of so many answers that are left out. */
export const forgedText = (count: number): string =>
  count === 1
    ? 'One of the answers is not proven by its address, and left out.'
    : `${count} of the answers are not proven by their addresses, and left out.`;

/** What whoever takes an address should do before. */
export const COMPARE_ADVICE =
  'Compare the code with whoever gave the address, by telephone or face to face, before you take it.';
/** What to do with links. */
export const LINKS_ADVICE = 'Send each link to whom it is for, and nobody else: who has it can answer.';
/** What withdrawing an invitation or refusing a request does. */
export const WITHDRAWING_EFFECT = 'Forgets it, with what was answered. A link that was sent opens nothing any more.';
/** Letters of a name, and of whoever invites. */
export const LONGEST_NAME = 100;

/** An address that was given, with what to compare with whoever gave it; `answeredAt`: unix milliseconds. */
export type GivenAnswer = { readonly address: Address; readonly check: string; readonly answeredAt: number };

/** An invitation as its employer reads it. */
export type ReadInvitation = Pick<InvitationJson, 'id' | 'vault' | 'expiresAt'> & {
  readonly name: string;
  /** Each with another address: more than one, and somebody else has the link. */
  readonly answers: readonly GivenAnswer[];
  /** Answers that nobody can have made with the link and the key of an address. */
  readonly forged: number;
};

/** A recipient's request for another address whose signatures hold. */
export type ReadChange = Pick<AddressChangeJson, 'id' | 'vault' | 'present' | 'next' | 'askedAt'> & {
  readonly check: string;
};

/** What waits for an employer. */
export type WaitingAddresses = {
  readonly invitations: readonly ReadInvitation[];
  readonly changes: readonly ReadChange[];
  /** Invitations that open by another key than the employer's, and requests whose signatures don't hold. */
  readonly unreadable: number;
};

/** What can be taken into a payroll: whose address, and which. */
export type Taking = {
  readonly whose: { readonly name: string } | { readonly from: Address };
  readonly to: Address;
  readonly check: string;
  readonly forget: () => Promise<unknown>;
};

/** Names that can be invited, and who invites them. Throws `Failure` name-unfit. */
function checkNames(names: readonly string[], from: string): void {
  const unfit = (message: string) => new Failure('name-unfit', message);
  if (names.length > MAX_INVITATIONS_AT_ONCE) {
    throw unfit(`${MAX_INVITATIONS_AT_ONCE} people can be invited at once: send some first, and the others then.`);
  }
  if ([...names, from].some((name) => name.length > LONGEST_NAME)) {
    throw unfit(`A name has at most ${LONGEST_NAME} letters.`);
  }
  if (names.some((name) => name.trim() !== name || name === '')) {
    throw unfit('A name is empty or has spaces around it.');
  }
}

/** What inviting so many people does; moments are written by `timeText`. */
export const invitingEffects = (
  count: number,
  expiresAt: number,
  timeText: (at: number) => string,
): readonly string[] => [
  `Makes ${count === 1 ? 'a link' : `${count} links`}, good until ${timeText(wholeMinute(expiresAt))}.`,
  'Nothing that is answered counts before you take it into a payroll.',
];

/** The end of its minute: what is open until then is not said to be over before. */
export const wholeMinute = (at: number): number => Math.ceil(at / 60_000) * 60_000;

/** Invites people by their names; a link for each, which is kept nowhere. Throws `Failure` name-unfit or invited-already, and what `send` throws. */
export async function invite(
  session: InvitingSession,
  wanted: {
    readonly vault: Address;
    readonly names: readonly string[];
    readonly from: string;
    /** Unix milliseconds. */
    readonly expiresAt: number;
    /** Where the recipients' page is. */
    readonly page: string;
  },
): Promise<readonly { readonly name: string; readonly link: string }[]> {
  const { vault, names, from, expiresAt, page } = wanted;
  checkNames(names, from);
  const { key } = session;
  const { invitations: open } = await waitingFor(session);
  const again = names.find((name, place) => names.indexOf(name) < place || open.some((one) => one.name === name));
  if (again !== undefined) {
    throw new Failure('invited-already', `${again} is invited already: withdraw that invitation first.`);
  }
  const fresh = names.map((name) => ({ name, invitation: newInvitation() }));
  const sealed = fresh.map(async ({ name, invitation }) => ({
    id: invitation.id,
    content: await sealInvitation(invitation, { vault, name, from }),
    kept: await keepInvitation(key, invitation),
  }));
  await addInvitations(session.send, { vault, expiresAt, invitations: await Promise.all(sealed) });
  return fresh.map(({ name, invitation }) => ({ name, link: invitationLink(page, invitation) }));
}

/** What waits for the employer, opened and verified. Throws what `send` throws. */
export async function waitingFor({ key, send }: InvitingSession): Promise<WaitingAddresses> {
  const read = await Promise.all((await listInvitations(send)).map((one) => readInvitation(key, one)));
  const changes = await Promise.all((await listAddressChanges(send)).map(readChange));
  const invitations = read.filter((one) => one !== undefined);
  const held = changes.filter((one) => one !== undefined);
  const unreadable = read.length + changes.length - invitations.length - held.length;
  return { invitations, changes: held, unreadable };
}

async function readInvitation(key: Uint8Array, one: InvitationJson): Promise<ReadInvitation | undefined> {
  const { id, kept, content, vault, expiresAt } = one;
  const invitation = await keptInvitation(key, id, kept).catch(() => undefined);
  const said = invitation && (await openInvitation(invitation, content).catch(() => undefined));
  if (invitation === undefined || said?.vault !== vault) return undefined;
  const opened = one.answers.map(async ({ sealed, answeredAt }) => {
    const answer = await openAnswer(invitation, vault, sealed);
    return answer && { ...answer, answeredAt };
  });
  const answers = (await Promise.all(opened)).filter((answer) => answer !== undefined);
  return { id, vault, expiresAt, name: said.name, answers, forged: one.answers.length - answers.length };
}

async function readChange({ signatures, ...change }: AddressChangeJson): Promise<ReadChange | undefined> {
  const message = addressChangeMessage(change);
  const isSigned = async (address: Address, signature: string) =>
    isSignedBy(address, message, fromBase64Url(signature) ?? new Uint8Array());
  const isHeld = (await isSigned(change.present, signatures.present)) && (await isSigned(change.next, signatures.next));
  return isHeld ? { ...change, check: checkCodeOf(message) } : undefined;
}

/** What is meant by `who`: an invitation by its name, or a request by the address that is paid today. */
export function findWaiting(
  { invitations, changes }: WaitingAddresses,
  who: string,
): { readonly invitation?: ReadInvitation; readonly change?: ReadChange } {
  const invitation = invitations.find(({ name }) => name === who);
  const change = changes.find(({ present }) => present === who);
  if (invitation !== undefined) return { invitation };
  if (change !== undefined) return { change };
  throw new Failure('nothing-waits', `Nothing of ${who} waits: payout invitations list has names and addresses.`);
}

/**
 * The address that is meant by `who`; of several answers the one with the code `check`. Throws `Failure` nothing-waits, not-answered,
 * several-answers or other-check.
 */
export function takingOf(
  { send }: Pick<InvitingSession, 'send'>,
  waiting: WaitingAddresses,
  who: string,
  check?: string,
): Taking {
  const { invitation, change } = findWaiting(waiting, who);
  if (change !== undefined) {
    checkThat(change.check, check);
    const forget = () => removeAddressChange(send, change.id);
    return { whose: { from: change.present }, to: change.next, check: change.check, forget };
  }
  const { answers = [], id = '', name = '' } = invitation ?? {};
  const [first] = answers;
  if (first === undefined) throw new Failure('not-answered', `${who} has not answered yet.`);
  if (answers.length > 1 && check === undefined) {
    throw new Failure(
      'several-answers',
      `${who}'s invitation has ${answers.length} answers: somebody else has the link. Ask ${who} for their code and pass it with --check, or withdraw the invitation and send another one.`,
    );
  }
  const answer = answers.find((one) => check === undefined || isSameCode(one.check, check));
  if (answer === undefined) throw otherCheck();
  return { whose: { name }, to: answer.address, check: answer.check, forget: () => removeInvitation(send, id) };
}

/** Forgets what is meant by `who`, with what was answered. Throws `Failure` nothing-waits, and what `send` throws. */
export async function withdrawWaiting(
  { send }: Pick<InvitingSession, 'send'>,
  waiting: WaitingAddresses,
  who: string,
): Promise<void> {
  const { invitation, change } = findWaiting(waiting, who);
  if (invitation !== undefined) await removeInvitation(send, invitation.id);
  if (change !== undefined) await removeAddressChange(send, change.id);
}

/** What taking an address into a payroll does: `into` names its file, `typed` is the code that somebody was told. */
export function takingSentences(
  who: string,
  written: Pick<WrittenAddress, 'before' | 'isNew'>,
  {
    to,
    check,
    typed,
    into,
  }: Pick<Taking, 'to' | 'check'> & { readonly typed: string | undefined; readonly into: string },
): readonly string[] {
  const { before, isNew } = written;
  return [
    ...(before === undefined
      ? [`${plainName(who)} is paid at this address by ${into}:`]
      : [`${plainName(who)} is paid by ${into} at another address. Now, and then:`, before]),
    to,
    typed === undefined ? `Its code is ${check}. ${COMPARE_ADVICE}` : `Its code is ${check}, as they have told you.`,
    ...(isNew ? ['The payroll gets a new line: fill in the amount.'] : []),
  ];
}

const isSameCode = (one: string, typed: string): boolean => typedCode(one) === typedCode(typed);
const otherCheck = (): Failure =>
  new Failure(
    'other-check',
    'No address that waits has this code: it is not what whoever told you the code has given.',
  );

function checkThat(check: string, typed: string | undefined): void {
  if (typed !== undefined && !isSameCode(check, typed)) throw otherCheck();
}
