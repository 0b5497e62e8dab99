import type { RecipientJson } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { type Attack, attack, type Family, unless } from '../attack.ts';
import type { Scene } from '../scene.ts';
import { METRICS_TOKEN } from '../service.ts';
import type { Answer } from '../wire.ts';

/** Requests of each kind whose times are compared. */
const PAIRS = 120;
/** Milliseconds by which the middle of one kind must differ, and pairs that must agree on it, before a difference counts. */
const TELLING_MS = 1;
const TELLING_PAIRS = 0.9;

const someOf = ({ service }: Scene): RecipientJson[] =>
  service.employer.list.filter(({ recipient }) => recipient !== service.recipient.address);

/** What of two answers somebody can compare: all but names of requests, times and what is left of a limit. */
const visible = ({ status, headers, body }: Answer): string => {
  const { date: _, 'x-request-id': _id, 'ratelimit-remaining': _left, 'ratelimit-reset': _reset, ...others } = headers;
  return JSON.stringify([status, others, body.replace(/"signature":"[^"]*"/g, '')]);
};

/** Somebody without any right guesses: the answers about somebody of the list and about somebody else must be the same. */
const guess = (
  what: string,
  path: (scene: Scene, address: string) => string,
  by: (scene: Scene) => Scene['stranger'] = ({ stranger }) => stranger,
): Attack =>
  attack(`guessing who stands in a list: ${what}`, 'the same answer', async (scene) => {
    const [inside] = someOf(scene) as [RecipientJson];
    const outside = (await generateKeyPairSigner()).address;
    const answers = [];
    for (const address of [inside.recipient, outside]) {
      const answer = await scene.signed(by(scene), { path: path(scene, address) });
      answers.push({ ...answer, body: answer.body.replaceAll(address, 'ADDRESS') });
    }
    const [one, other] = answers.map(visible);
    return unless(one !== other, one === other ? String(answers[0]?.status) : 'they differ');
  });

/** The same by how long the answers take. */
const timing = (what: string, path: (scene: Scene, address: string) => string): Attack =>
  attack(`guessing who stands in a list by time: ${what}`, 'no difference', async (scene) => {
    const inside = someOf(scene);
    const took: [number, number][] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const outside = (await generateKeyPairSigner()).address;
      const address = (inside[pair % inside.length] as RecipientJson).recipient;
      const both = pair % 2 === 0 ? [address, outside] : [outside, address];
      const [first, second] = [
        await ms(scene, path(scene, both[0] as string)),
        await ms(scene, path(scene, both[1] as string)),
      ];
      took.push(pair % 2 === 0 ? [first, second] : [second, first]);
    }
    const differences = took.map(([known, unknown]) => known - unknown).sort((a, b) => a - b);
    const middle = differences[PAIRS / 2] as number;
    const agreeing = differences.filter((each) => Math.sign(each) === Math.sign(middle)).length / PAIRS;
    return unless(
      Math.abs(middle) > TELLING_MS && agreeing > TELLING_PAIRS,
      `${middle.toFixed(2)} ms in the middle, ${Math.round(agreeing * 100)} % alike`,
    );
  });

const ms = async (scene: Scene, path: string) => {
  const headers = await scene.sign(scene.stranger, { path });
  return (await scene.ask({ path, headers })).ms;
};

/** A list that is guessed, with salts that are not: whether any of it is right must not show. */
const guessedList = attack('guessing a list by registering it with made-up salts', 'the same answer', async (scene) => {
  const { list, schedule } = scene.service.employer;
  const guessed = list.map((entry) => ({ ...entry, salt: '00'.repeat(16) }));
  const [one, other] = guessed as [RecipientJson, RecipientJson];
  const exchanged = [
    { ...one, recipient: other.recipient },
    { ...other, recipient: one.recipient },
    ...guessed.slice(2),
  ];
  const answers = [];
  for (const recipients of [guessed, exchanged])
    answers.push(await scene.register(JSON.stringify({ schedulePda: schedule, recipients })));
  const [right, wrong] = answers.map(visible);
  return unless(right !== wrong || answers[0]?.status === 200, `${answers.map(({ code }) => code).join(', ')}`);
});

/** What is public, or not about recipients: none of it may name one, or an amount of one. */
const names = (what: string, read: (scene: Scene) => Promise<Answer>, needs: Attack['needs'] = []): Attack =>
  attack(
    `looking for recipients and amounts in ${what}`,
    'none',
    async (scene) => {
      const { body, headers, status } = await read(scene);
      const text = body + JSON.stringify(headers);
      const { list } = scene.service.employer;
      const found = list.filter(
        ({ recipient, salt, amount }) =>
          text.includes(recipient) || text.includes(salt) || text.includes(`"${amount}"`),
      );
      return unless(found.length > 0, found.length > 0 ? `${found.length} of ${list.length}` : String(status));
    },
    { needs },
  );

/** An error about what somebody has sent must not say it again. */
const echo = (what: string, send: (scene: Scene, secret: string) => Promise<Answer>): Attack =>
  attack(`an error that repeats ${what}`, 'nothing of it', async (scene) => {
    const secret = (await generateKeyPairSigner()).address;
    const { body, headers, status, code } = await send(scene, secret);
    return unless((body + JSON.stringify(headers)).includes(secret), `${status} ${code ?? ''}`);
  });

/**
 * An export of payslips, as whoever sees only how long it is sees it. All of a line but the amount is public: the address, and how deep an
 * entry stands in the tree. So a line that isn't padded tells how many digits its amount has, and so do lines that differ in their amounts alone
 * and are not as long as each other.
 */
const exportLength = attack(
  "reading amounts from the length of the employer's export",
  'lines as long as each other',
  async (scene) => {
    const { service } = scene;
    const answer = await scene.signed(service.employer.signer, { path: scene.of(service.employer, '/payslips/0') });
    if (answer.status !== 200) return { outcome: 'otherwise', seen: String(answer.status) };
    const lines = answer.body.split('\n').filter((line) => line !== '');
    const unpadded = lines.filter((line) => line === line.trimEnd()).length;
    const lengths = new Map<number, Set<number>>();
    for (const line of lines) {
      const rest = line.trimEnd().replace(/"amount":"[0-9]+"/, '').length;
      lengths.set(rest, (lengths.get(rest) ?? new Set()).add(line.length));
    }
    const kinds = Math.max(...[...lengths.values()].map(({ size }) => size));
    // One line can be as long as its block by chance.
    return unless(
      kinds > 1 || unpadded * 2 > lines.length,
      `${kinds} lengths, ${unpadded} of ${lines.length} lines not padded`,
    );
  },
  { wasFound: true },
);

export const privacy: Family = {
  title: 'learning who is paid what',
  attacks: [
    guess('their entry', (scene, address) => scene.of(scene.service.employer, `/recipients/${address}`)),
    guess('their payslips', (scene, address) => scene.of(scene.service.employer, `/recipients/${address}/payslips/0`)),
    guess('payslips of a window that is not there', (scene, address) =>
      scene.of(scene.service.employer, `/recipients/${address}/payslips/999`),
    ),
    guess('their money', (_, address) => `/api/recipients/${address}/balances`),
    guess('their history', (_, address) => `/api/recipients/${address}/history`),
    guess(
      'by somebody of the same list',
      (scene, address) => scene.of(scene.service.employer, `/recipients/${address}`),
      ({ service }) => service.recipient,
    ),
    timing('their entry', (scene, address) => scene.of(scene.service.employer, `/recipients/${address}`)),
    timing('their payslips', (scene, address) => scene.of(scene.service.employer, `/recipients/${address}/payslips/0`)),
    timing('their money', (_, address) => `/api/recipients/${address}/balances`),
    guessedList,
    names('the schedule', (scene) => scene.ask({ path: scene.of(scene.service.employer) })),
    names('its runs', (scene) => scene.ask({ path: scene.of(scene.service.employer, '/executions') })),
    names('a run', (scene) => scene.ask({ path: scene.of(scene.service.employer, '/executions/0') })),
    names('health', (scene) => scene.ask({ path: '/api/health' })),
    names('metrics', (scene) =>
      scene.ask({ path: '/api/metrics', headers: { authorization: `Bearer ${METRICS_TOKEN}` } }),
    ),
    names('what the operator sees of all runs', (scene) => scene.signed(scene.service.operator, { path: '/api/runs' })),
    names('the overview', (scene) => scene.signed(scene.service.operator, { path: '/api/overview' })),
    names('the totals that auditors read', (scene) =>
      scene.signed(scene.service.employer.signer, { path: scene.of(scene.service.employer, '/audit') }),
    ),
    names('the answer to a list that is registered again', (scene) =>
      scene.register(
        JSON.stringify({ schedulePda: scene.service.employer.schedule, recipients: scene.service.employer.list }),
      ),
    ),
    names('the answer to a list with a wrong amount', (scene) =>
      scene.register(
        JSON.stringify({
          schedulePda: scene.service.employer.schedule,
          recipients: scene.service.employer.list.map((entry) => ({ ...entry, amount: `x${entry.amount}` })),
        }),
      ),
    ),
    echo('an address in a path', (scene, secret) => scene.ask({ path: `/api/schedules/${secret}x` })),
    echo('an address of an unknown path', (scene, secret) => scene.ask({ path: `/api/nothing/${secret}` })),
    echo('a query', (scene, secret) =>
      scene.ask({ path: scene.of(scene.service.employer, `/executions?cursor=${secret}`) }),
    ),
    echo('a recipient of a list', (scene, secret) =>
      scene.register(
        `{"schedulePda":"${scene.service.employer.schedule}","recipients":[{"index":0,"recipient":"${secret}","amount":"-1","salt":"x"}]}`,
      ),
    ),
    echo('a name of a field', (scene, secret) =>
      scene.register(`{"schedulePda":"${scene.service.employer.schedule}","recipients":[],"${secret}":1}`),
    ),
    echo('a key in a signature', (scene, secret) =>
      scene.ask({
        path: '/api/session',
        headers: { 'signature-input': `x=("@method");keyid="${secret}"`, signature: 'x=:AAAA:' },
      }),
    ),
    echo('an Idempotency-Key', (scene, secret) => scene.register('{}', { 'idempotency-key': `${secret} ${secret}` })),
    exportLength,
  ],
};
