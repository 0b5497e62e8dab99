import { newInvitation, signAddressChange } from '@payouts/client';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { attack, type Family, refused, unless } from '../attack.ts';
import type { Scene } from '../scene.ts';

const PATH = '/api/invitations';
const CHANGES = '/api/address-changes';
const SEALED = 'q'.repeat(40);
const MINUTE_MS = 60_000;
const JSON_TYPE = { 'content-type': 'application/json' };

const vaultOf = async (scene: Scene, tenant = scene.service.employer): Promise<Address> =>
  (JSON.parse((await scene.ask({ path: scene.of(tenant) })).body) as { vault: Address }).vault;

/** Keeps invitations of the employer's vault, as its employer unless somebody else tries. */
async function keep(scene: Scene, ids: readonly string[], more: object = {}, signer = scene.service.employer.signer) {
  const vault = await vaultOf(scene);
  const invitations = ids.map((id) => ({ id, content: SEALED, kept: SEALED }));
  const body = JSON.stringify({ vault, expiresAt: Date.now() + MINUTE_MS, invitations, ...more });
  return scene.signed(signer, { method: 'POST', path: PATH, body });
}
const remove = (scene: Scene, id: string) =>
  scene.signed(scene.service.employer.signer, { method: 'DELETE', path: `${PATH}/${id}` });

const post = (scene: Scene, what: 'lookups' | 'answers', body: object) =>
  scene.ask({ method: 'POST', path: `/api/invitation-${what}`, body: JSON.stringify(body), headers: JSON_TYPE });
const answer = (scene: Scene, token: string, mark = 'q'.repeat(43)) =>
  post(scene, 'answers', { token, mark, sealed: SEALED });

const listed = async (scene: Scene, path: string) => (await scene.signed(scene.service.employer.signer, { path })).body;

/** An invitation of the employer's: this one, if it is still there. */
export async function invited(scene: Scene, former: string): Promise<string> {
  if (former !== '' && (await listed(scene, PATH)).includes(former)) return former;
  const { id } = newInvitation();
  await keep(scene, [id], { expiresAt: Date.now() + 60 * MINUTE_MS });
  return id;
}

/** A request of the recipient's for another address; `by`: who sends it. */
async function change(scene: Scene, { by = scene.service.recipient, more = {} } = {}) {
  const { recipient, employer } = scene.service;
  const next = await generateKeyPairSigner();
  const askedAt = Date.now();
  const { signatures } = await signAddressChange(recipient, next, { vault: await vaultOf(scene), askedAt });
  const body = { schedulePda: employer.schedule, next: next.address, askedAt, signatures, ...more };
  return scene.signed(by, { method: 'POST', path: CHANGES, body: JSON.stringify(body) });
}

/** A request that waits for the employer, in the same way; a commit from before there were any has none. */
export async function asked(scene: Scene, former: string): Promise<string> {
  if (former !== '' && (await listed(scene, CHANGES)).includes(former)) return former;
  const { status, body } = await change(scene);
  return status === 201 ? (JSON.parse(body) as { id: string }).id : '';
}

const stolen = attack(
  'a stolen link answers after its owner',
  'both are kept, and the owner’s is as it was',
  async (scene) => {
    const { id, token } = newInvitation();
    await keep(scene, [id]);
    await answer(scene, token, 'a'.repeat(43));
    await answer(scene, token, 'b'.repeat(43));
    const { body } = await scene.signed(scene.service.employer.signer, { path: PATH });
    const { invitations } = JSON.parse(body) as { invitations: { id: string; answers: unknown[] }[] };
    await remove(scene, id);
    const answers = invitations.find((one) => one.id === id)?.answers.length;
    return unless(answers !== 2, `${answers} answers`);
  },
);

const full = attack('a stolen link fills an invitation', 'three answers, and the fourth is told', async (scene) => {
  const { id, token } = newInvitation();
  await keep(scene, [id]);
  let last = '';
  for (const letter of 'abcd') last = (await answer(scene, token, letter.repeat(43))).code ?? '';
  await remove(scene, id);
  return unless(last !== 'invitation-answered', last);
});

const alike = attack('telling used, withdrawn and unknown links apart', 'all are answered alike', async (scene) => {
  const { id, token } = newInvitation();
  await keep(scene, [id]);
  await remove(scene, id);
  const [one, other] = [
    await post(scene, 'lookups', { token }),
    await post(scene, 'lookups', { token: newInvitation().token }),
  ];
  return unless(one.status !== 404 || one.body !== other.body, `${one.status}, ${other.status}`);
});

const spying = attack('reading answers with the link alone', 'nothing of them', async (scene) => {
  const { id, token } = newInvitation();
  await keep(scene, [id]);
  await post(scene, 'answers', { token, mark: 'm'.repeat(43), sealed: 'z'.repeat(64) });
  const { body } = await post(scene, 'lookups', { token });
  await remove(scene, id);
  return unless(/z{64}|m{43}|answer/.test(body), body.slice(0, 60));
});

const many = attack('more invitations than an employer may have open', 'invalid-invitation', async (scene) => {
  // What is kept expires by itself: later, if the first had expired before the last one was asked for.
  for (let lastsMs = 3_000; ; lastsMs *= 4) {
    const began = Date.now();
    let last = '201';
    for (let at = 0; at < 11 && last === '201'; at++) {
      const some = Array.from({ length: 100 }, () => newInvitation().id);
      const { status, code } = await keep(scene, some, { expiresAt: Date.now() + lastsMs });
      last = code ?? String(status);
    }
    if (Date.now() < began + lastsMs) return unless(last !== 'invalid-invitation', last);
  }
});

const BODIES: readonly (readonly [what: string, body: object])[] = [
  ['a token that is none', { token: 'x', mark: 'q'.repeat(43), sealed: SEALED }],
  ['no token', { mark: 'q'.repeat(43), sealed: SEALED }],
  ['a megabyte', { token: newInvitation().token, mark: 'q'.repeat(43), sealed: 'q'.repeat(1_000_000) }],
  ['a mark that is none', { token: newInvitation().token, mark: '../etc', sealed: SEALED }],
  ['something more', { token: newInvitation().token, mark: 'q'.repeat(43), sealed: SEALED, vault: 'x' }],
];

export const invitations: Family = {
  title: 'addresses that others would have paid',
  attacks: [
    refused("an invitation of another employer's vault", ['not-permitted'], (scene) =>
      keep(scene, [newInvitation().id], {}, scene.stranger),
    ),
    refused(
      "an invitation of another employer's vault by an employer",
      ['not-permitted'],
      (scene) => keep(scene, [newInvitation().id], {}, scene.service.rival?.signer),
      { needs: ['rival'] },
    ),
    refused('an invitation for a year', ['invalid-invitation'], (scene) =>
      keep(scene, [newInvitation().id], { expiresAt: Date.now() + 365 * 24 * 60 * MINUTE_MS }),
    ),
    refused('an invitation that has expired', ['invalid-invitation'], (scene) =>
      keep(scene, [newInvitation().id], { expiresAt: 1 }),
    ),
    refused('an answer to an invitation that is guessed', ['invitation-not-found'], (scene) =>
      answer(scene, newInvitation().token),
    ),
    refused('an answer by the id of an invitation, as a dump has it', ['invitation-not-found'], async (scene) =>
      answer(scene, Buffer.from(scene.ids.invitation, 'hex').toString('base64url')),
    ),
    ...BODIES.map(([what, body]) =>
      refused(`an answer with ${what}`, ['invalid-body', 'body-too-large'], (scene) => post(scene, 'answers', body)),
    ),
    stolen,
    full,
    alike,
    spying,
    many,
    refused('another address, asked for by a stranger with the recipient’s proof', ['not-permitted'], (scene) =>
      change(scene, { by: scene.stranger }),
    ),
    refused('another address than the one that was proven', ['invalid-address-change'], (scene) =>
      change(scene, { more: { next: scene.stranger.address } }),
    ),
    refused('another address with a proof of another time', ['invalid-address-change'], (scene) =>
      change(scene, { more: { askedAt: Date.now() - MINUTE_MS } }),
    ),
    refused(
      'another address, asked of an employer who does not pay them',
      ['not-permitted'],
      (scene) => change(scene, { more: { schedulePda: scene.service.rival?.schedule } }),
      { needs: ['rival'] },
    ),
  ],
};
