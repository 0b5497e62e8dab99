import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { attack, type Family, refused, unless } from '../attack.ts';
import type { Scene } from '../scene.ts';

const PATH = '/api/notices';
const INVALID = ['invalid-notice', 'invalid-body'];

const post = (scene: Scene, body: object, signer = scene.service.employer.signer) =>
  scene.signed(signer, { method: 'POST', path: PATH, body: JSON.stringify(body) });
const ofEmployer = (scene: Scene, more: object) =>
  post(scene, { schedulePda: scene.service.employer.schedule, ...more });

/** What a mail's headers or another mail could be made of, or a second address. */
const ADDRESSES = [
  'ada@example.com\r\nBcc: everybody@example.com',
  'ada@example.com\n\nAnother body',
  'ada@example.com,ben@example.com',
  'ada@example.com ben@example.com',
  'Ada <ada@example.com>',
  '"ada\\r\\n"@example.com',
  'ada@localhost',
  'ada@[127.0.0.1]',
  'ada@example.com\u0000',
  '@example.com',
  'ada@',
  `${'a'.repeat(300)}@example.com`,
];

/** A chat that is this machine: nothing of it may be connected to. */
const inside = attack('a chat at 127.0.0.1', 'nobody comes', async (scene) => {
  let came = 0;
  const server = createServer((socket) => {
    came += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const answer = await ofEmployer(scene, {
    address: `https://127.0.0.1:${port}/`,
    scope: 'vault',
    types: ['run.opened'],
  });
  const { id } = JSON.parse(answer.body) as { id?: string };
  await pause(2_000);
  if (id !== undefined) await scene.signed(scene.service.employer.signer, { method: 'DELETE', path: `${PATH}/${id}` });
  server.close();
  return unless(came > 0, `${answer.status}, ${came} came`);
});

const many = attack('eleven notices of one key', 'the eleventh is refused', async (scene) => {
  const { signer } = scene.service.employer;
  const ids: string[] = [];
  let last = '';
  for (let at = 0; at < 11; at++) {
    const answer = await ofEmployer(scene, { address: 'https://chat.example.com/hooks' });
    last = answer.code ?? String(answer.status);
    if (answer.status === 201) ids.push((JSON.parse(answer.body) as { id: string }).id);
  }
  for (const id of ids) await scene.signed(signer, { method: 'DELETE', path: `${PATH}/${id}` });
  return unless(last !== 'invalid-notice', last);
});

const link = attack(
  'an unsubscribe link that was guessed',
  'ends nothing, and is answered as any other',
  async (scene) => {
    const ask = (token: string) => scene.ask({ method: 'POST', path: `/api/unsubscribe/${token}` });
    const [one, other] = [await ask('a'.repeat(43)), await ask(scene.ids.notice)];
    const { body } = await scene.signed(scene.service.employer.signer, { path: PATH });
    return unless(!body.includes(scene.ids.notice) || one.body !== other.body, `${one.status}, ${other.status}`);
  },
);

export const notices: Family = {
  title: 'messages to people who have not asked for them',
  attacks: [
    ...ADDRESSES.map((to) =>
      refused(`a notice to ${JSON.stringify(to).slice(0, 60)}`, INVALID, (scene) => ofEmployer(scene, { address: to })),
    ),
    refused('a notice to a stranger by a key that is in no list', ['not-permitted'], (scene) =>
      post(scene, { address: 'victim@example.com' }, scene.stranger),
    ),
    refused('a notice of a recipient by their employer', ['not-permitted'], (scene) =>
      post(scene, { address: 'https://chat.example.com/hooks' }),
    ),
    refused('what recipients are told, told to an employer', ['invalid-notice'], (scene) =>
      ofEmployer(scene, { address: 'https://chat.example.com/hooks', types: ['recipient.paid'] }),
    ),
    refused(
      'a chat over plain HTTP',
      ['invalid-notice'],
      (scene) => ofEmployer(scene, { address: 'http://chat.example.com/' }),
      {
        needs: ['public-webhooks'],
      },
    ),
    { ...inside, needs: ['public-webhooks'] },
    many,
    link,
  ],
};
