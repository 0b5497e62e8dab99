import { type Family, refused } from '../attack.ts';
import { type Call, DOES, signedCalls } from '../calls.ts';
import type { Scene, Session } from '../scene.ts';
import type { Answer } from '../wire.ts';

const INVALID = ['delegation-invalid'] as const;
const PATH = '/api/session';

/** Sends what a session signs. */
function by(scene: Scene, { signer, delegation }: Session, path = PATH): Promise<Answer> {
  return scene.signed(signer, { path, more: { delegation } });
}
const employerOf = ({ service }: Scene) => service.employer.signer;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

/** Rewrites the text of a sign-in, and leaves its signature as it is. */
function rewritten({ signer, delegation }: Session, change: (text: string) => string): Session {
  const [text = '', signature = ''] = delegation.split('.');
  const changed = Buffer.from(change(Buffer.from(text, 'base64url').toString())).toString('base64url');
  return { signer, delegation: `${changed}.${signature}` };
}

/** A session was made to read with: whatever else an employer may do needs the wallet's own key. */
const WAS_FOUND = ['createWebhook', 'rotateWebhookSecret'];
const doing = (call: Call) =>
  refused(
    `an employer's session does ${call.operation}`,
    INVALID,
    async (scene) => {
      const { signer, delegation } = await scene.session(employerOf(scene));
      const { path, body } = call.request(scene);
      const given = body === undefined ? {} : { body };
      return scene.signed(signer, { method: call.method, path, ...given, more: { delegation } });
    },
    { wasFound: WAS_FOUND.includes(call.operation) },
  );

const broken: readonly (readonly [what: string, make: (scene: Scene) => Promise<Session>])[] = [
  ['that has expired', (scene) => scene.session(employerOf(scene), { expires: inSeconds(-1) })],
  ['that is good for longer than an hour', (scene) => scene.session(employerOf(scene), { expires: inSeconds(3_700) })],
  ['that is good for ever', (scene) => scene.session(employerOf(scene), { expires: 253_402_300_799 })],
  ['that a stranger has signed for the employer', (scene) => scene.session(employerOf(scene), {}, scene.stranger)],
  ['that is for another session', (scene) => scene.session(employerOf(scene), { session: scene.stranger.address })],
  ['whose origin has a path', (scene) => scene.session(employerOf(scene), { origin: `${scene.url()}/api` })],
  ['whose origin ends with a dot', (scene) => scene.session(employerOf(scene), { origin: `${scene.url()}.` })],
  ['for every origin', (scene) => scene.session(employerOf(scene), { origin: '*' })],
  ['for no origin', (scene) => scene.session(employerOf(scene), { origin: 'null' })],
  [
    'whose key for answers is no point',
    (scene) => scene.session(employerOf(scene), { encryption: Uint8Array.of(4, ...new Uint8Array(64).fill(1)) }),
  ],
  [
    'in which the employer is written for the stranger who signed',
    async (scene) =>
      rewritten(await scene.session(scene.stranger), (text) =>
        text.replace(scene.stranger.address, employerOf(scene).address),
      ),
  ],
  [
    'whose time is written anew',
    async (scene) =>
      rewritten(await scene.session(employerOf(scene), { expires: inSeconds(-60) }), (text) =>
        text.replace(/expires: .*/, `expires: ${new Date(Date.now() + 600_000).toISOString().replace(/\.\d+/, '')}`),
      ),
  ],
  [
    'with a line more',
    async (scene) => rewritten(await scene.session(employerOf(scene)), (text) => `${text}\nscope: all`),
  ],
  [
    'with other ends of lines',
    async (scene) => rewritten(await scene.session(employerOf(scene)), (text) => text.replaceAll('\n', '\r\n')),
  ],
  [
    'with a mark of bytes’ order',
    async (scene) => rewritten(await scene.session(employerOf(scene)), (text) => `\ufeff${text}`),
  ],
  ['in an empty header', async (scene) => ({ signer: scene.stranger, delegation: '' })],
  ['that is no sign-in', async (scene) => ({ signer: scene.stranger, delegation: 'AAAA.AAAA' })],
];

export const sessions: Family = {
  title: 'sessions that do more than they may',
  attacks: [
    ...signedCalls.filter(({ operation }) => DOES.has(operation)).map(doing),
    ...broken.map(([what, make]) =>
      refused(`a sign-in ${what}`, [...INVALID, 'signature-invalid'], async (scene) => by(scene, await make(scene))),
    ),
    refused('a sign-in that the signature does not cover', INVALID, async (scene) => {
      const { signer, delegation } = await scene.session(employerOf(scene));
      return scene.signed(signer, { path: PATH, headers: { 'payouts-delegation': delegation } });
    }),
    refused('two sign-ins in one request', [...INVALID, 'signature-invalid'], async (scene) => {
      const { signer, delegation } = await scene.session(employerOf(scene));
      const own = await scene.session(scene.stranger);
      const headers = { 'payouts-delegation': [own.delegation, delegation] };
      return scene.signed(signer, { path: PATH, headers, more: { delegation } });
    }),
    refused("a stranger's session reads the employer's list", ['not-permitted'], async (scene) =>
      by(scene, await scene.session(scene.stranger), scene.of(scene.service.employer, '/recipients')),
    ),
    refused("a session of the employer reads a recipient's money", ['not-permitted'], async (scene) =>
      by(scene, await scene.session(employerOf(scene)), `/api/recipients/${scene.service.recipient.address}/balances`),
    ),
    refused("an employer's session resumes a run as an operator", ['not-permitted'], async (scene) => {
      const { signer, delegation } = await scene.session(employerOf(scene));
      const path = `/api/runs/${scene.service.employer.schedule}/0/resume`;
      return scene.signed(signer, { method: 'POST', path, more: { delegation } });
    }),
  ],
};
