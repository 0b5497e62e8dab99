import { createPublicKey, generateKeyPairSync, randomBytes, sign as signBytes, verify } from 'node:crypto';
import { addressFromBytes, signatureBase, signRequest, systemTime } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { httpbis } from 'http-message-signatures';
import { describe, expect, it } from 'vitest';
import { Problem } from '../src/domain/problems.ts';
import { componentValue, type RequestParts } from '../src/http/signatures/components.ts';
import { verifyEd25519 } from '../src/http/signatures/ed25519.ts';
import { readSignature } from '../src/http/signatures/message.ts';
import { verifySignature } from '../src/http/signatures/verify.ts';
import { takeNonce } from '../src/store/queries/nonces.ts';
import { STORES, useStore } from './support/stores.ts';

const NOW = 1_800_000_000;
const MAX_AGE = 300;
const URL_TEXT = 'http://coordinator.example:8080/api/schedules/abc/recipients?limit=5&cursor=xyz';
const POLICY = { now: NOW * 1_000, maxAgeSeconds: MAX_AGE };

const request = (parts: Partial<RequestParts> = {}): RequestParts => ({
  method: 'GET',
  scheme: 'http',
  host: 'coordinator.example:8080',
  target: '/api/schedules/abc/recipients?limit=5&cursor=xyz',
  rawHeaders: ['Date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
  ...parts,
});

type Headers = { readonly 'signature-input': string; readonly signature: string };

const check = (headers: Headers, parts: RequestParts = request(), policy = POLICY) =>
  verifySignature(parts, readSignature({ input: headers['signature-input'], signature: headers.signature }), policy);

/** The code that it is refused with; undefined if it verifies. */
function refusal(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

const signer = await generateKeyPairSigner();

/** Signs any base with the key, for what the client never sends. */
async function signAs(
  parameters: string,
  covered: readonly string[],
  parts = request(),
  label = 'sig',
): Promise<Headers> {
  const components = covered.map((name) => [`"${name}"`, componentValue(parts, name)] as const);
  const [signatures] = await signer.signMessages([{ content: signatureBase(components, parameters), signatures: {} }]);
  const bytes = signatures?.[signer.address] as Uint8Array;
  return {
    'signature-input': `${label}=${parameters}`,
    signature: `${label}=:${Buffer.from(bytes).toString('base64')}:`,
  };
}

const ALL = ['@method', '@authority', '@path', '@query'];
const list = (covered: readonly string[]) => `(${covered.map((name) => `"${name}"`).join(' ')})`;
const parametersOf = (changes: Record<string, string | undefined> = {}, covered: readonly string[] = ALL) => {
  const values = {
    created: String(NOW),
    keyid: `"${signer.address}"`,
    alg: '"ed25519"',
    nonce: '"0123456789abcdef"',
    tag: '"payouts"',
    ...changes,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return list(covered) + given.map(([name, value]) => `;${name}=${value}`).join('');
};

describe('what RFC 9421 says', () => {
  it('takes the ed25519 example of appendix B.2.6', () => {
    const parts = request({
      method: 'POST',
      scheme: 'https',
      host: 'example.com',
      target: '/foo?param=Value&Pet=dog',
      rawHeaders: [
        ...['Host', 'example.com', 'Date', 'Tue, 20 Apr 2021 02:07:55 GMT', 'Content-Type', 'application/json'],
        ...['Content-Length', '18'],
      ],
    });
    const covered = ['date', '@method', '@path', '@authority', 'content-type', 'content-length'];
    const input = `sig-b26=${list(covered)};created=1618884473;keyid="test-key-ed25519"`;
    const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
    const message = readSignature({
      input: `${input};tag="payouts"`,
      signature: `sig-b26=:${signature}:`,
    });
    // The example has no tag of ours, which is not signed there; all else is as it stands in the appendix.
    const signed = message.signedParameters.replace(';tag="payouts"', '');
    const components = message.covered.map((name) => [`"${name}"`, componentValue(parts, name)] as const);
    const key = Buffer.from('26b40b8f93fff3d897112f7ebc582b232dbd72517d082fe83cfb30ddce43d1bb', 'hex');
    expect(verifyEd25519(key, signatureBase(components, signed), message.signature)).toBe(true);
    expect(verifyEd25519(key, signatureBase(components.slice(1), signed), message.signature)).toBe(false);
  });

  it('derives components as sections 2.2.1 to 2.2.7 have them', () => {
    const parts = request({
      method: 'POST',
      scheme: 'https',
      host: 'WWW.Example.com:443',
      target: '/path?param=value',
    });
    expect(componentValue(parts, '@method')).toBe('POST');
    expect(componentValue(parts, '@target-uri')).toBe('https://www.example.com/path?param=value');
    expect(componentValue(parts, '@authority')).toBe('www.example.com');
    expect(componentValue(parts, '@scheme')).toBe('https');
    expect(componentValue(parts, '@request-target')).toBe('/path?param=value');
    expect(componentValue(parts, '@path')).toBe('/path');
    expect(componentValue(parts, '@query')).toBe('?param=value');
    expect(componentValue({ ...parts, target: '/path' }, '@query')).toBe('?');
    expect(componentValue({ ...parts, target: '/path?queryString' }, '@query')).toBe('?queryString');
    expect(componentValue({ ...parts, host: 'example.com:8443' }, '@authority')).toBe('example.com:8443');
    const rawHeaders = ['Cache-Control', '  max-age=60 ', 'X', 'a', 'cache-control', 'must-revalidate'];
    expect(componentValue({ ...parts, rawHeaders }, 'cache-control')).toBe('max-age=60, must-revalidate');
  });

  it('takes what another implementation of the RFC signs', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const address = addressFromBytes(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
    const signed = await httpbis.signMessage(
      {
        key: { id: address, alg: 'ed25519', sign: async (data) => signBytes(null, data, privateKey) },
        fields: ['@target-uri', 'date', '@method'],
        params: ['nonce', 'keyid', 'created', 'expires', 'tag'],
        paramValues: {
          created: new Date(NOW * 1_000),
          nonce: 'a nonce of words !'.replaceAll(' ', '-'),
          tag: 'payouts',
        },
      },
      { method: 'GET', url: URL_TEXT, headers: { date: 'Tue, 20 Apr 2021 02:07:55 GMT' } },
    );
    const sent: Readonly<Record<string, string>> = signed.headers;
    const headers = { 'signature-input': sent['Signature-Input'] as string, signature: sent.Signature as string };
    expect(check(headers).signer).toBe(address);
    expect(refusal(() => check(headers, request({ target: '/api/schedules/abc/recipients?limit=6&cursor=xyz' })))).toBe(
      'signature-invalid',
    );
  });

  it('makes what another implementation of the RFC verifies', async () => {
    const headers = await signRequest({
      signer,
      url: URL_TEXT,
      created: Math.floor(Date.now() / 1_000),
      time: systemTime,
    });
    const raw = await crypto.subtle.exportKey('raw', signer.keyPair.publicKey);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw).toString('base64url') },
      format: 'jwk',
    });
    const verified = await httpbis.verifyMessage(
      {
        keyLookup: async ({ keyid }) => {
          expect(keyid).toBe(signer.address);
          return { algs: ['ed25519'], verify: async (data, signature) => verify(null, data, key, signature) };
        },
        requiredFields: ALL,
        requiredParams: ['created', 'nonce', 'tag', 'alg'],
      },
      { method: 'GET', url: URL_TEXT, headers },
    );
    expect(verified).toBe(true);
  });
});

describe('a signed request', () => {
  it('verifies, whoever signed it, in any case of the host and without its default port', async () => {
    const url = 'http://Coordinator.example:80/api/schedules/abc/recipients';
    const headers = await signRequest({ signer, url, created: NOW, time: systemTime });
    const parts = request({ host: 'coordinator.EXAMPLE', target: '/api/schedules/abc/recipients' });
    expect(check(headers, parts)).toMatchObject({ signer: signer.address, goodUntil: (NOW + MAX_AGE) * 1_000 });
  });

  it('is refused after any change of what it covers', async () => {
    const changed = fc.oneof(
      fc.constantFrom('POST', 'HEAD', 'DELETE', 'get').map((method): Partial<RequestParts> => ({ method })),
      fc.webAuthority().map((host) => ({ host })),
      fc.tuple(fc.webPath(), fc.webQueryParameters()).map(([path, query]) => ({ target: `${path}?${query}` })),
      fc.tuple(fc.nat(47), fc.stringMatching(/^[!-~]$/)).map(([at, letter]) => {
        const { target } = request();
        return { target: target.slice(0, at % target.length) + letter + target.slice((at % target.length) + 1) };
      }),
    );
    const headers = await signRequest({ signer, url: URL_TEXT, created: NOW, time: systemTime });
    expect(check(headers).signer).toBe(signer.address);
    fc.assert(
      fc.property(changed, (change) => {
        const parts = request(change);
        const isSame = ALL.every((name) => componentValue(parts, name) === componentValue(request(), name));
        fc.pre(!isSame);
        expect(refusal(() => check(headers, parts))).toBe('signature-invalid');
      }),
      { numRuns: 500 },
    );
  });

  it('is refused after any change of its parameters or its bytes', async () => {
    const headers = await signRequest({ signer, url: URL_TEXT, created: NOW, expires: NOW + 60, time: systemTime });
    const other = await generateKeyPairSigner();
    const swaps: [string, string][] = [
      [`created=${NOW}`, `created=${NOW + 1}`],
      [`expires=${NOW + 60}`, `expires=${NOW + 61}`],
      [signer.address, other.address],
      ['"@path" ', ''],
      ['"@method" "@authority"', '"@authority" "@method"'],
      [';alg="ed25519"', ''],
      ['nonce="', 'nonce="x'],
    ];
    for (const [from, to] of swaps) {
      const input = headers['signature-input'].replace(from, to);
      expect(input).not.toBe(headers['signature-input']);
      expect(refusal(() => check({ ...headers, 'signature-input': input }))).toBe('signature-invalid');
    }
    const bytes = Buffer.from(headers.signature.slice(headers.signature.indexOf(':') + 1, -1), 'base64');
    fc.assert(
      fc.property(fc.nat(63), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = (changed[at] as number) ^ flip;
        const signature = `payouts=:${Buffer.from(changed).toString('base64')}:`;
        expect(refusal(() => check({ ...headers, signature }))).toBe('signature-invalid');
      }),
    );
    for (const size of [0, 63, 65]) {
      const signature = `payouts=:${Buffer.alloc(size).toString('base64')}:`;
      expect(refusal(() => check({ ...headers, signature }))).toBe('signature-invalid');
    }
  });

  it('is good from 30 s before to its age after, and no longer than its expires', async () => {
    const headers = await signRequest({ signer, url: URL_TEXT, created: NOW, time: systemTime });
    const at = (seconds: number) => ({ now: seconds * 1_000, maxAgeSeconds: MAX_AGE });
    expect(refusal(() => check(headers, request(), at(NOW - 30)))).toBeUndefined();
    expect(refusal(() => check(headers, request(), at(NOW - 30.001)))).toBe('signature-expired');
    expect(refusal(() => check(headers, request(), at(NOW + MAX_AGE)))).toBeUndefined();
    expect(refusal(() => check(headers, request(), at(NOW + MAX_AGE + 0.001)))).toBe('signature-expired');
    const short = await signRequest({ signer, url: URL_TEXT, created: NOW, expires: NOW + 10, time: systemTime });
    expect(refusal(() => check(short, request(), at(NOW + 10)))).toBeUndefined();
    expect(refusal(() => check(short, request(), at(NOW + 10.001)))).toBe('signature-expired');
    const long = await signRequest({ signer, url: URL_TEXT, created: NOW, expires: NOW + 10_000, time: systemTime });
    expect(refusal(() => check(long, request(), at(NOW + MAX_AGE + 1)))).toBe('signature-expired');
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['no created', { created: undefined }],
    ['a text for created', { created: '"1800000000"' }],
    ['a fraction for created', { created: '1800000000.5' }],
    ['a date for created', { created: '@1800000000' }],
    ['a text for expires', { expires: '"2000000000"' }],
    ['no keyid', { keyid: undefined }],
    ['a keyid that is no address', { keyid: '"test-key-ed25519"' }],
    ['another algorithm', { alg: '"rsa-pss-sha512"' }],
    ['a token for the algorithm', { alg: 'ed25519' }],
    ['no nonce', { nonce: undefined }],
    ['a short nonce', { nonce: '"0123456789abcde"' }],
    ['a nonce with spaces', { nonce: '"0123 4567 89ab cdef"' }],
    ['a number for a nonce', { nonce: '123456789012345' }],
  ])('is refused with %s, though it is signed so', async (_, changes) => {
    const headers = await signAs(parametersOf(changes), ALL);
    expect(refusal(() => check(headers))).toBe('signature-invalid');
  });

  it('must cover method and target, in one of two ways', async () => {
    const verdict = async (covered: readonly string[]) => {
      const headers = await signAs(parametersOf({}, covered), covered);
      return refusal(() => check(headers));
    };
    expect(await verdict(ALL)).toBeUndefined();
    expect(await verdict(ALL.toReversed())).toBeUndefined();
    expect(await verdict(['@target-uri', '@method'])).toBeUndefined();
    expect(await verdict([...ALL, 'date', '@scheme', '@request-target'])).toBeUndefined();
    for (const left of ALL) {
      expect(await verdict(ALL.filter((name) => name !== left))).toBe('signature-invalid');
    }
    expect(await verdict(['@target-uri'])).toBe('signature-invalid');
    expect(await verdict([])).toBe('signature-invalid');
  });

  it('is refused when it covers what the request does not have, twice, or in part', async () => {
    const headers = await signAs(parametersOf(), ALL);
    const withInput = (change: (text: string) => string) => ({
      ...headers,
      'signature-input': change(headers['signature-input']),
    });
    const changes: ((text: string) => string)[] = [
      (text) => text.replace('("@method"', '("@method" "x-absent"'),
      (text) => text.replace('("@method"', '("@method" "@status"'),
      (text) => text.replace('("@method"', '("@method" "@query-param";name="limit"'),
      (text) => text.replace('("@method"', '("@method" "@method"'),
      (text) => text.replace('("@method"', '("@method";req'),
      (text) => text.replace('"@method"', '@method'),
      (text) => text.replace('"@method"', '"@Method"'),
    ];
    for (const change of changes) expect(refusal(() => check(withInput(change)))).toBe('signature-invalid');
  });
});

describe('the headers', () => {
  const read = (input: string | undefined, signature: string | undefined) => () => readSignature({ input, signature });

  it('are missing', async () => {
    const { 'signature-input': input, signature } = await signRequest({ signer, url: URL_TEXT, time: systemTime });
    expect(refusal(read(undefined, undefined))).toBe('signature-missing');
    expect(refusal(read(input, undefined))).toBe('signature-missing');
    expect(refusal(read(undefined, signature))).toBe('signature-missing');
    expect(refusal(read(input.replace('tag="payouts"', 'tag="other"'), signature))).toBe('signature-missing');
    expect(refusal(read('', signature))).toBe('signature-missing');
  });

  it('may hold signatures for others, and one for this service under any label', async () => {
    const ours = await signAs(parametersOf(), ALL, request(), 'my-own*label.1');
    const both = {
      'signature-input': `proxy=("@status");created=1;keyid="p", ${ours['signature-input']}`,
      signature: `proxy=:AAAA:, ${ours.signature}`,
    };
    expect(check(both).signer).toBe(signer.address);
    const twice = {
      'signature-input': `${ours['signature-input']}, second${ours['signature-input'].slice('my-own*label.1'.length)}`,
      signature: ours.signature,
    };
    expect(refusal(() => check(twice))).toBe('signature-invalid');
  });

  it('are refused when a label or a parameter stands there twice, or anything is not in its canonical form', async () => {
    const { 'signature-input': input, signature } = await signAs(parametersOf(), ALL);
    expect(refusal(read(input, signature))).toBeUndefined();
    const refused: [string, string][] = [
      [`${input}, ${input}`, signature],
      [input, `${signature}, ${signature}`],
      [`${input};created=1`, signature],
      [input.replace(`created=${NOW}`, `created=${NOW};created=${NOW}`), signature],
      [input.replace(`created=${NOW}`, `created=${NOW}.0`), signature],
      [`${input},`, signature],
      [`${input} x`, signature],
      [input.toUpperCase(), signature],
      [input.slice(0, -1), signature],
      [input, signature.slice(0, -1)],
      [input, signature.replaceAll('=:', ':')],
      [input, signature.replace(/:(.*):/, '"$1"')],
      [input, signature.replace('sig=', 'other=')],
      [input, 'sig=("a" "b")'],
      [input.replace(/\(.*\)/, '"@method"'), signature],
    ];
    for (const [i, s] of refused) expect(refusal(read(i, s)), `${i} / ${s}`).toBe('signature-invalid');
  });

  it('are refused, whatever bytes they hold, with nothing of them in the answer', () => {
    const text = fc.string({ unit: 'binary-ascii', maxLength: 200 });
    fc.assert(
      fc.property(text, text, (input, signature) => {
        try {
          check({ 'signature-input': `x=("@method")${input};tag="payouts"`, signature });
          expect.unreachable();
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          for (const sent of [input, signature]) if (sent.length > 12) expect(error.message).not.toContain(sent);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the curve', () => {
  const small = [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ].flatMap((hex) => {
    const key = Buffer.from(hex, 'hex');
    const negative = Buffer.from(key);
    negative[31] = (negative[31] as number) | 128;
    return [key, negative];
  });

  /** A signature that the library underneath takes from a key that nobody holds; one of a few tries finds it. */
  function forge(key: Buffer): [Buffer, Buffer] | undefined {
    const x = key.toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    for (let tries = 0; tries < 200; tries++) {
      const message = randomBytes(8);
      for (const point of small) {
        const signature = Buffer.concat([point, Buffer.alloc(32)]);
        if (verify(null, message, publicKey, signature)) return [message, signature];
      }
    }
    return undefined;
  }

  it('has no key under which anybody can sign', () => {
    let forged = 0;
    for (const key of small) {
      const found = forge(key);
      if (found === undefined) continue;
      forged += 1;
      expect(verifyEd25519(key, ...found)).toBe(false);
    }
    // The library takes them all; so it is the check before it that refuses.
    expect(forged).toBe(small.length);
  });

  it('has one signature for a message and a nonce: a scalar that is not reduced is refused', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const message = randomBytes(40);
    const signature = signBytes(null, message, privateKey);
    expect(verifyEd25519(key, message, signature)).toBe(true);
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order;
    const more = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
    expect(verifyEd25519(key, message, Buffer.concat([signature.subarray(0, 32), more]))).toBe(false);
  });
});

describe.each(STORES)('nonces in %s', (name) => {
  const store = useStore(name);

  /** When a signature is good until, from the database's time on; unix milliseconds. */
  const inMilliseconds = async (milliseconds: number): Promise<number> => {
    const { rows } = await store.database.pool.query('select extract(epoch from clock_timestamp()) * 1000 as now');
    return Math.floor(Number((rows[0] as { now: string }).now)) + milliseconds;
  };

  it('are good once, also for many at once', async () => {
    const digest = randomBytes(32);
    const goodUntil = await inMilliseconds(60_000);
    const uses = await Promise.all(Array.from({ length: 20 }, () => takeNonce(store.query, digest, goodUntil)));
    expect(uses.filter((use) => use === 'taken')).toHaveLength(1);
    expect(uses.filter((use) => use === 'replayed')).toHaveLength(19);
    expect(await takeNonce(store.query, randomBytes(32), goodUntil)).toBe('taken');
  });

  it('are forgotten once nobody takes their signature, however the clocks of processes differ', async () => {
    const [old, late] = [randomBytes(32), randomBytes(32)];
    const goodUntil = await inMilliseconds(60_000);
    expect(await takeNonce(store.query, old, goodUntil)).toBe('taken');
    // As if a minute had passed.
    await store.database.pool.query('update signature_nonces set expires_at = 1 where digest = $1', [old]);
    expect(await takeNonce(store.query, randomBytes(32), goodUntil)).toBe('taken');
    const { rows } = await store.database.pool.query('select from signature_nonces where digest = $1', [old]);
    expect(rows).toEqual([]);
    // A process whose clock is behind passes it on; nobody remembers it, and nobody takes it.
    expect(await takeNonce(store.query, late, await inMilliseconds(-1))).toBe('expired');
    expect(await takeNonce(store.query, late, await inMilliseconds(-1))).toBe('expired');
  });
});
