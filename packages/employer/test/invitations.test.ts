import {
  type AddressChangeJson,
  acceptInvitation,
  addressFromBytes,
  answerInvitation,
  type InvitationJson,
  openLink,
  type PublicPost,
  readInvitationLink,
  type SealedInvitation,
  type SignedSend,
  sealInvitation,
  signAddressChange,
} from '@payouts/client';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { type InvitingSession, invite, invitingSession, takingOf, waitingFor, withdrawWaiting } from '../src/index.ts';

const [vault, otherVault] = [5, 6].map((byte) => addressFromBytes(new Uint8Array(32).fill(byte))) as [Address, Address];
const ASKED_AT = Date.UTC(2026, 10, 27, 9);
const codeOf = (work: () => unknown) => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('invitations', () => {
  let [employer, ada, thief]: KeyPairSigner[] = [];
  let session: InvitingSession;
  let kept: (InvitationJson & { answers: { sealed: string; answeredAt: number }[] })[];
  let changes: AddressChangeJson[];

  /** What the service keeps: it has no key to anything of it. */
  const send: SignedSend = async <T>(method: string, path: string, body?: unknown) => {
    if (method === 'POST') {
      const { invitations, ...of } = body as { invitations: SealedInvitation[]; vault: Address; expiresAt: number };
      kept.push(...invitations.map((one) => ({ ...one, ...of, createdAt: 1, answers: [] })));
    }
    if (method === 'DELETE') {
      const id = path.split('/').at(-1);
      kept = kept.filter((one) => one.id !== id);
      changes = changes.filter((one) => one.id !== id);
    }
    return (path.startsWith('/api/invitations') ? { invitations: kept } : { changes }) as T;
  };
  const post: PublicPost = async <T>(path: string, body: unknown) => {
    const [one] = kept;
    if (path === '/api/invitation-answers')
      one?.answers.push({ sealed: (body as { sealed: string }).sealed, answeredAt: 2 });
    return one as T;
  };
  const inviting = (...names: string[]) =>
    invite(session, {
      vault,
      names,
      from: 'Example Ltd',
      expiresAt: 9,
      page: 'https://payouts.example.com/recipient/',
    });
  const linkOf = async (name: string) => (await inviting(name))[0]?.link as string;
  const first = async () => (await waitingFor(session)).invitations[0];

  beforeEach(async () => {
    [employer, ada, thief] = await Promise.all([1, 2, 3].map(() => generateKeyPairSigner()));
    session = await invitingSession(employer as KeyPairSigner, send);
    [kept, changes] = [[], []];
  });

  it('say who asks to whoever has the link, and their name and secret to nobody else', async () => {
    const link = await linkOf('Ada Lovelace');
    expect(await openLink(post, link)).toMatchObject({ vault, name: 'Ada Lovelace', from: 'Example Ltd' });
    const secret = link.split('/').at(-1) as string;
    for (const hidden of ['Lovelace', 'Example', secret]) expect(JSON.stringify(kept)).not.toContain(hidden);
    // Other names are as long to whoever has the database.
    await inviting('B');
    expect(kept[0]?.content.length).toBe(kept[1]?.content.length);
    const [one] = kept;
    kept = [{ ...(one as (typeof kept)[0]), vault: otherVault }];
    await expect(openLink(post, link)).rejects.toMatchObject({ code: 'INVALID_INVITATION' });
    await expect(openLink(post, link.slice(0, -1))).rejects.toMatchObject({ code: 'INVALID_INVITATION' });
    await expect(openLink(post, `${link.slice(0, -4)}AAAA`)).rejects.toMatchObject({ code: 'INVALID_INVITATION' });
  });

  it('shows an address only with a proof of its key, for this employer and this invitation', async () => {
    const link = await linkOf('Ada');
    const opened = await openLink(post, link);
    const check = await acceptInvitation(post, opened, ada as KeyPairSigner);
    expect(await first()).toMatchObject({ name: 'Ada', forged: 0, answers: [{ address: ada?.address, check }] });
    const answerTo = async (whose: string, of: Address, signer = ada) =>
      (await answerInvitation(signer as KeyPairSigner, readInvitationLink(whose), of)).sealed;
    const [one] = kept as [(typeof kept)[0]];
    const mine = { ...(ada as KeyPairSigner), signMessages: (thief as KeyPairSigner).signMessages } as KeyPairSigner;
    // Somebody else's signature is noticed before it is sent.
    await expect(answerTo(link, vault, mine)).rejects.toMatchObject({ code: 'SIGNATURE_MISSING' });
    const another = (await inviting('Ben'))[0]?.link as string;
    kept = [one];
    const sealed = one.answers[0]?.sealed as string;
    one.answers = [
      { sealed: await answerTo(link, otherVault), answeredAt: 3 },
      { sealed: await answerTo(another, vault), answeredAt: 4 },
      { sealed: `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`, answeredAt: 5 },
      { sealed: await sealInvitation(opened.invitation, opened), answeredAt: 6 },
    ];
    expect(await first()).toMatchObject({ forged: 4, answers: [] });
  });

  it('shows every address that a link was answered with, and takes none of several without its code', async () => {
    const opened = await openLink(post, await linkOf('Ada'));
    const taking = async (check?: string) => {
      const waiting = await waitingFor(session);
      return takingOf(session, waiting, 'Ada', check);
    };
    await expect(taking()).rejects.toMatchObject({ code: 'not-answered' });
    await acceptInvitation(post, opened, thief as KeyPairSigner);
    expect((await taking()).to).toBe(thief?.address);
    const check = await acceptInvitation(post, opened, ada as KeyPairSigner);
    expect((await first())?.answers.map(({ address }) => address)).toEqual([thief?.address, ada?.address]);
    await expect(taking()).rejects.toMatchObject({ code: 'several-answers' });
    await expect(taking('AAAAA-AAAAA')).rejects.toMatchObject({ code: 'other-check' });
    const taken = await taking(check.toLowerCase().replace('-', ' '));
    expect(taken).toMatchObject({ whose: { name: 'Ada' }, to: ada?.address });
    await taken.forget();
    expect(kept).toEqual([]);
  });

  it('are one for each name, and open by the key of their employer alone', async () => {
    await inviting('Ada');
    await expect(inviting('Ben', 'Ada')).rejects.toMatchObject({ code: 'invited-already' });
    await expect(inviting('Ben', 'Ben')).rejects.toMatchObject({ code: 'invited-already' });
    expect(await waitingFor(await invitingSession(thief as KeyPairSigner, send))).toMatchObject({
      invitations: [],
      unreadable: 1,
    });
    const waiting = await waitingFor(session);
    await expect(withdrawWaiting(session, waiting, 'Ben')).rejects.toMatchObject({ code: 'nothing-waits' });
    await withdrawWaiting(session, waiting, 'Ada');
    expect(kept).toEqual([]);
  });

  it('shows a request for another address only if both keys have signed it', async () => {
    const [present, next] = [ada as KeyPairSigner, thief as KeyPairSigner];
    const { signatures, check } = await signAddressChange(present, next, { vault, askedAt: ASKED_AT });
    const change = { id: 'x', vault, present: present.address, next: next.address, askedAt: ASKED_AT, signatures };
    const { present: one, next: other } = signatures;
    changes = [
      change,
      { ...change, vault: otherVault },
      { ...change, next: present.address },
      { ...change, present: next.address },
      { ...change, askedAt: ASKED_AT + 1_000 },
      { ...change, signatures: { present: one, next: one } },
      { ...change, signatures: { present: other, next: other } },
      { ...change, signatures: { present: '', next: '*' } },
    ];
    const waiting = await waitingFor(session);
    expect(waiting).toMatchObject({
      changes: [{ present: present.address, next: next.address, check }],
      unreadable: 7,
    });
    expect(codeOf(() => takingOf(session, waiting, present.address, 'AAAAA-AAAAA'))).toBe('other-check');
    const taking = takingOf(session, waiting, present.address, check);
    expect(taking).toMatchObject({ whose: { from: present.address }, to: next.address });
    await withdrawWaiting(session, waiting, present.address);
    expect(changes).toEqual([]);
  });
});
