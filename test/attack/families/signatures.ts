import { generateKeyPairSigner, type MessagePartialSigner } from '@solana/kit';
import { attack, type Family, judge, refused, seenIn, unless } from '../attack.ts';
import type { Scene } from '../scene.ts';
import { digestOf, freshNonce, type SignedHeaders, type Signing, sign } from '../signer.ts';
import { ask } from '../wire.ts';

const INVALID = ['signature-invalid'] as const;
const AHEAD_SECONDS = 600;
const ALL = ['@method', '@authority', '@path', '@query'];
const now = () => Math.floor(Date.now() / 1_000);

/** The employer's own list, which anybody else wants. */
const list = ({ service, of }: Scene) => `${of(service.employer, '/recipients')}?limit=5`;
const readWith = (scene: Scene, more: Partial<Signing>) =>
  scene.signed(scene.service.employer.signer, { path: list(scene), more });

/** Sends what the employer has signed rightly, with headers that are changed on their way. */
async function tampered(
  scene: Scene,
  change: (headers: SignedHeaders, scene: Scene) => Record<string, string | string[]>,
) {
  const signed = await scene.sign(scene.service.employer.signer, { path: list(scene) });
  return scene.ask({ path: list(scene), headers: change(signed, scene) });
}

const input = (change: (text: string) => string) => (headers: SignedHeaders) => ({
  ...headers,
  'signature-input': change(headers['signature-input']),
});

const flipped = (place: number) => (bytes: Uint8Array) => bytes.map((byte, at) => (at === place ? byte ^ 1 : byte));
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The same signature with the group's order added to its scalar: some libraries take both. */
function malleable(bytes: Uint8Array): Uint8Array {
  const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + GROUP_ORDER;
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()]);
}

/** A key of small order, under which anybody can make signatures. */
const keyless = (address: string): MessagePartialSigner =>
  ({
    address,
    signMessages: async () => [{ [address]: new Uint8Array(64).fill(1, 0, 1) }],
  }) as unknown as MessagePartialSigner;

/** What is signed in another way than it must be. */
const signedWrongly: readonly (readonly [what: string, codes: readonly string[], more: () => Partial<Signing>])[] = [
  ...ALL.map((left) => [`without ${left}`, INVALID, () => ({ covered: ALL.filter((name) => name !== left) })] as const),
  ['over nothing', INVALID, () => ({ covered: [] })],
  ['over the target alone', INVALID, () => ({ covered: ['@target-uri'] })],
  ['over the method twice', INVALID, () => ({ covered: ['@method', ...ALL] })],
  ['over a header that is not there', INVALID, () => ({ covered: [...ALL, 'x-absent'] })],
  ['over a status', INVALID, () => ({ covered: [...ALL, '@status'] })],
  ['for POST', INVALID, () => ({ values: { '@method': 'POST' } })],
  ['for another path', INVALID, () => ({ values: { '@path': '/api/session' } })],
  ['for another query', INVALID, () => ({ values: { '@query': '?limit=6' } })],
  ['for another scheme', INVALID, () => ({ covered: [...ALL, '@scheme'], values: { '@scheme': 'https' } })],
  ['six minutes ago', ['signature-expired'], () => ({ parameters: { created: String(now() - 360) } })],
  ['a year ago', ['signature-expired'], () => ({ parameters: { created: String(now() - 31_536_000) } })],
  ['in two minutes', ['signature-expired'], () => ({ parameters: { created: String(now() + 120) } })],
  ['until a second ago', ['signature-expired'], () => ({ parameters: { expires: String(now() - 2) } })],
  [
    'in a year, for ever',
    ['signature-expired'],
    () => ({ parameters: { created: String(now() + 31_536_000), expires: '99999999999' } }),
  ],
  ['at a time that is no integer', INVALID, () => ({ parameters: { created: `${now()}.5` } })],
  ['at a time in words', INVALID, () => ({ parameters: { created: `"${now()}"` } })],
  ['at a time before 1970', ['signature-expired'], () => ({ parameters: { created: '-1' } })],
  ['at no time', INVALID, () => ({ parameters: { created: undefined } })],
  ['without a nonce', INVALID, () => ({ parameters: { nonce: undefined } })],
  ['with an empty nonce', INVALID, () => ({ parameters: { nonce: '""' } })],
  ['with a short nonce', INVALID, () => ({ parameters: { nonce: '"123456789012345"' } })],
  ['with a nonce of 300 characters', INVALID, () => ({ parameters: { nonce: `"${'n'.repeat(300)}"` } })],
  ['with a number for a nonce', INVALID, () => ({ parameters: { nonce: '123456789012345' } })],
  ['without a key', INVALID, () => ({ parameters: { keyid: undefined } })],
  ['with an empty key', INVALID, () => ({ parameters: { keyid: '""' } })],
  ['with a key of 31 bytes', INVALID, () => ({ parameters: { keyid: '"1111111111111111111111111111111"' } })],
  ['with a key of 33 bytes', INVALID, () => ({ parameters: { keyid: '"111111111111111111111111111111111"' } })],
  ['with a path to a key', INVALID, () => ({ parameters: { keyid: '"../../keys/employer"' } })],
  ['as RSA', INVALID, () => ({ parameters: { alg: '"rsa-pss-sha512"' } })],
  ['as HMAC', INVALID, () => ({ parameters: { alg: '"hmac-sha256"' } })],
  ['as no algorithm', INVALID, () => ({ parameters: { alg: '"none"' } })],
  ['for another service', ['signature-missing'], () => ({ parameters: { tag: '"other"' } })],
  ['for no service', ['signature-missing'], () => ({ parameters: { tag: undefined } })],
  ['with the first byte changed', INVALID, () => ({ change: flipped(0) })],
  ['with the last byte changed', INVALID, () => ({ change: flipped(63) })],
  ['in 63 bytes', INVALID, () => ({ change: (bytes) => bytes.subarray(0, 63) })],
  ['in 65 bytes', INVALID, () => ({ change: (bytes) => Uint8Array.of(...bytes, 0) })],
  ['in no bytes', INVALID, () => ({ change: () => new Uint8Array() })],
  ['in zeros', INVALID, () => ({ change: () => new Uint8Array(64) })],
  ['by a scalar that is not reduced', INVALID, () => ({ change: malleable })],
];

const changedOnTheWay: readonly (readonly [
  what: string,
  codes: readonly string[],
  change: Parameters<typeof tampered>[1],
])[] = [
  [
    "the key's name is the stranger's",
    INVALID,
    (headers, scene) =>
      input((text) => text.replace(scene.service.employer.signer.address, scene.stranger.address))(headers),
  ],
  ['its time is later', INVALID, input((text) => text.replace(/created=\d+/, `created=${now() + 5}`))],
  ['its nonce is another', INVALID, input((text) => text.replace(/nonce="[^"]*"/, `nonce="${freshNonce()}"`))],
  ['the algorithm is left out', INVALID, input((text) => text.replace(';alg="ed25519"', ''))],
  ['a component is left out', INVALID, input((text) => text.replace('"@query"', '').replace(' )', ')'))],
  ['a parameter stands there twice', INVALID, input((text) => `${text};created=1`)],
  ['the label stands there twice', INVALID, input((text) => `${text}, ${text}`)],
  [
    'it is a token instead of bytes',
    INVALID,
    ({ signature, ...rest }) => ({ ...rest, signature: signature.replaceAll(':', '') }),
  ],
  [
    'it has another label',
    INVALID,
    ({ signature, ...rest }) => ({ ...rest, signature: signature.replace('attack=', 'other=') }),
  ],
  ['there is no signature', ['signature-missing'], ({ 'signature-input': text }) => ({ 'signature-input': text })],
  ['nothing says what is signed', ['signature-missing'], ({ signature }) => ({ signature })],
  [
    'the names of the headers are swapped',
    ['signature-missing', ...INVALID],
    ({ signature, 'signature-input': text }) => ({ signature: text, 'signature-input': signature }),
  ],
];

/** What the employer has signed once, sent again in some way; `twice` sends the second time. */
const replayed = (
  what: string,
  again: (scene: Scene, signed: SignedHeaders, nonce: string) => ReturnType<Scene['ask']>,
  needs: readonly 'two'[] = [],
) =>
  refused(
    `a signed read sent again: ${what}`,
    ['signature-replayed'],
    async (scene) => {
      const nonce = freshNonce();
      const path = list(scene);
      const signed = await scene.sign(scene.service.employer.signer, {
        path,
        more: { parameters: { nonce: `"${nonce}"` } },
      });
      const first = await scene.ask({ path, headers: signed });
      if (first.status !== 200) throw new Error(`The employer's own read was answered ${seenIn(first)}.`);
      return again(scene, signed, nonce);
    },
    { needs },
  );

const resigned = (more: (nonce: string) => Partial<Signing>) => (scene: Scene, _: SignedHeaders, nonce: string) =>
  readWith(scene, more(nonce));

const withBody =
  (body: object, change: (headers: SignedHeaders) => Record<string, string>, sent?: string) => async (scene: Scene) => {
    const text = JSON.stringify(body);
    const path = scene.of(scene.service.employer, '/grants');
    const signed = await scene.sign(scene.service.employer.signer, { method: 'POST', path, body: text });
    return scene.ask({ method: 'POST', path, body: sent ?? text, headers: change(signed) });
  };
const GRANT = { auditor: '11111111111111111111111111111111', scope: 'totals', endsAt: 4_000_000_000_000 };

export const signatures: Family = {
  title: 'signatures',
  attacks: [
    ...signedWrongly.map(([what, codes, more]) => refused(`signed ${what}`, codes, (scene) => readWith(scene, more()))),
    ...changedOnTheWay.map(([what, codes, change]) =>
      refused(`changed on its way: ${what}`, codes, (scene) => tampered(scene, change)),
    ),
    ...['11111111111111111111111111111111', '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'].map((address) =>
      refused(`signed by nobody's key, ${address.slice(0, 8)}…`, INVALID, (scene) =>
        scene.signed(keyless(address), { path: '/api/session' }),
      ),
    ),
    refused('signed by another key in the name of the employer', INVALID, (scene) =>
      scene.signed(scene.stranger, {
        path: list(scene),
        more: { parameters: { keyid: `"${scene.service.employer.signer.address}"` } },
      }),
    ),
    replayed('as it was', (scene, headers) => scene.ask({ path: list(scene), headers })),
    replayed(
      'at another process',
      (scene, signed) => scene.ask({ path: list(scene), at: 1, headers: { ...signed, host: scene.authority } }),
      ['two'],
    ),
    replayed('from another address', (scene, headers) => scene.ask({ path: list(scene), headers, from: '127.9.9.9' })),
    replayed('with more headers', (scene, signed) =>
      scene.ask({ path: list(scene), headers: { ...signed, 'x-more': '1', accept: '*/*' } }),
    ),
    replayed('under another label', (scene, { 'signature-input': text, signature }) =>
      scene.ask({
        path: list(scene),
        headers: { 'signature-input': text.replace('attack=', 'x='), signature: signature.replace('attack=', 'x=') },
      }),
    ),
    replayed(
      'signed anew with its nonce',
      resigned((nonce) => ({ parameters: { nonce: `"${nonce}"` } })),
    ),
    replayed(
      'signed anew in another order with its nonce',
      resigned((nonce) => ({ covered: ALL.toReversed(), parameters: { nonce: `"${nonce}"` } })),
    ),
    attack(
      'a signed read sent again once a process whose clock is ten minutes ahead has forgotten its nonce',
      'signature-replayed',
      async (scene) => {
        const path = list(scene);
        const headers = await scene.sign(scene.service.employer.signer, { path });
        await scene.ask({ path, headers });
        const ahead = await scene.service.joinedAhead?.(AHEAD_SECONDS);
        if (ahead === undefined) throw new Error('No process can join this service.');
        const { url, stop } = ahead;
        const target = `${url}/api/session`;
        const later = { created: String(now() + AHEAD_SECONDS) };
        const signed = await sign({ signer: scene.stranger, url: target, parameters: later });
        const taken = await ask(url, { from: scene.from, path: '/api/session', headers: signed });
        await stop();
        if (taken.status !== 200) throw new Error(`The process ahead answers ${seenIn(taken)}.`);
        return judge(await scene.ask({ path, headers }), ['signature-replayed']);
      },
      { needs: ['two'], wasFound: true },
    ),
    attack('a signed read sent twenty times at once to all processes', 'one answer 200', async (scene) => {
      const path = list(scene);
      const signed = await scene.sign(scene.service.employer.signer, { path });
      const headers = { ...signed, host: scene.authority };
      const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => scene.ask({ path, at, headers })));
      const taken = answers.filter(({ status }) => status === 200).length;
      return unless(taken > 1, `${taken} answers 200`);
    }),
    refused('a read that is sent as another method', INVALID, async (scene) => {
      const headers = await scene.sign(scene.service.employer.signer, { path: list(scene) });
      return { ...(await scene.ask({ method: 'HEAD', path: list(scene), headers })), code: 'signature-invalid' };
    }),
    refused(
      'a body that is not the one that is signed',
      INVALID,
      withBody(GRANT, (signed) => signed, JSON.stringify({ ...GRANT, scope: 'recipients' })),
    ),
    refused('a body with its own digest, which is not the signed one', INVALID, (scene) => {
      const other = JSON.stringify({ ...GRANT, endsAt: 3_999_999_999_999 });
      return withBody(GRANT, (signed) => ({ ...signed, 'content-digest': digestOf(other) }), other)(scene);
    }),
    refused(
      'a body without a digest',
      INVALID,
      withBody(GRANT, ({ 'content-digest': _, ...signed }) => signed),
    ),
    refused(
      'a body whose digest is empty',
      INVALID,
      withBody(GRANT, (signed) => ({ ...signed, 'content-digest': '' })),
    ),
    refused(
      'a body whose digest is SHA-1',
      INVALID,
      withBody(GRANT, (signed) => ({ ...signed, 'content-digest': 'sha=:AAAAAAAAAAAAAAAAAAAAAAAAAAA=:' })),
    ),
    refused('a body whose digest the signature does not cover', INVALID, (scene) =>
      scene.signed(scene.service.employer.signer, {
        method: 'POST',
        path: scene.of(scene.service.employer, '/grants'),
        body: JSON.stringify(GRANT),
        more: { covered: ALL },
      }),
    ),
    attack('a key is made for each of 300 reads, to fill the store of nonces', 'health below 2 s', async (scene) => {
      for (let place = 0; place < 300; place += 30) {
        await Promise.all(
          Array.from({ length: 30 }, async () => scene.signed(await generateKeyPairSigner(), { path: '/api/session' })),
        );
      }
      const { status, ms } = await scene.ask({ path: '/api/health' });
      return unless(status !== 200 || ms > 2_000, `${status} in ${ms.toFixed(0)} ms`);
    }),
  ],
};
