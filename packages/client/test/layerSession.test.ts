import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manualTime } from '@payouts/testing/manualTime';
import { generateKeyPairSigner, getBase58Encoder, type SignatureBytes, verifySignature } from '@solana/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LayerSession, type LayerToken, SignInFailed, signInToLayer, systemTime } from '../src/index.ts';

const URL = 'http://layer.example/rpc?api-key=k';

class Refused extends Error {}

describe('a session with a private execution layer', () => {
  let now: number;
  let signIns: number;
  let answer: () => Promise<LayerToken>;
  let session: LayerSession;
  const call = async (url: string) => new globalThis.URL(url).searchParams.get('token') ?? '';

  beforeEach(() => {
    [now, signIns] = [0, 0];
    answer = async () => ({ token: `t${signIns}`, expiresAt: now + 1_000 });
    const signIn = () => {
      signIns += 1;
      return answer();
    };
    session = new LayerSession({ signIn, time: { now: () => now }, isRefused: (error) => error instanceof Refused });
  });

  it('signs in once for all who call meanwhile, and again before the token ends', async () => {
    expect(await Promise.all([1, 2, 3].map(() => session.within(URL, call)))).toEqual(['t1', 't1', 't1']);
    now = 799;
    expect(await session.within(URL, call)).toBe('t1');
    now = 800;
    expect(await session.within(URL, call)).toBe('t2');
    expect(signIns).toBe(2);
  });

  it('keeps what the address has besides', async () => {
    await session.within(URL, async (url) => expect(url).toBe('http://layer.example/rpc?api-key=k&token=t1'));
  });

  it('replaces a token that is refused, once for all', async () => {
    const refusesFirst = async (url: string) => {
      const token = await call(url);
      if (token === 't1') throw new Refused();
      return token;
    };
    expect(await Promise.all([1, 2, 3].map(() => session.within(URL, refusesFirst)))).toEqual(['t2', 't2', 't2']);
    expect(signIns).toBe(2);
  });

  it('says that it is not let in when the new token is refused as well, and tries anew the next time', async () => {
    await expect(session.within(URL, () => Promise.reject(new Refused()))).rejects.toMatchObject({
      name: 'SignInFailed',
      isRefused: true,
    });
    expect(await session.within(URL, call)).toBe('t3');
  });

  it('tries to sign in again after it failed, and lets every other error pass', async () => {
    answer = () => Promise.reject(new SignInFailed(false));
    await expect(session.within(URL, call)).rejects.toBeInstanceOf(SignInFailed);
    answer = async () => ({ token: 'later', expiresAt: undefined });
    expect(await session.within(URL, call)).toBe('later');
    await expect(session.within(URL, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(signIns).toBe(2);
    now = 240_000;
    await session.within(URL, call);
    expect(signIns).toBe(3);
  });
});

describe('a sign-in', () => {
  let server: Server;
  let url: string;
  /** What it asks to be signed. */
  let challenge: unknown;
  const logins: Record<string, string>[] = [];

  beforeEach(async () => {
    challenge = 'Sign in to the layer: 0123456789abcdef';
    logins.length = 0;
    server = createServer(async (request, response) => {
      const isLogin = request.url?.startsWith('/rpc/auth/login') === true;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (isLogin) logins.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, string>);
      response.end(JSON.stringify(isLogin ? { token: 'T', expiresAt: 7 } : { challenge }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('signs the text that it is given, and returns the token', async () => {
    const guest = await generateKeyPairSigner();
    expect(await signInToLayer(url, guest, { time: systemTime })).toEqual({ token: 'T', expiresAt: 7 });
    const [login] = logins;
    expect(login).toMatchObject({ pubkey: guest.address, challenge });
    const signature = Uint8Array.from(getBase58Encoder().encode(login?.signature ?? '')) as unknown as SignatureBytes;
    const text = new TextEncoder().encode(challenge as string);
    expect(await verifySignature(guest.keyPair.publicKey, signature, text)).toBe(true);
  });

  it.each([
    ['what could be a transaction', '\u0001\u0000\u0001 and so on, for a while'],
    ['what is no text', 17],
    ['almost nothing', 'short'],
    ['anything without an end', 'x'.repeat(513)],
    ['a text of several lines', 'Sign in to the layer:\n0123456789abcdef'],
    ['what begins like an authorisation', 'Payouts: let a key act for me on a private balance'],
    ['what begins like any text of payouts', 'PAYOUTS: the secret behind the salts of my recipients.'],
    ['what begins like the key to names', 'Payout Coordinator: open my names (version 1)'],
    ['what begins like a sign-in to a coordinator', 'payouts sign-in origin: https://payouts.example.com'],
    ['what a request over HTTP has signed', '"@method": GET "@path": /api/recipient/balances'],
  ])('does not sign %s', async (_, asked) => {
    challenge = asked;
    await expect(signInToLayer(url, await generateKeyPairSigner(), { time: systemTime })).rejects.toMatchObject({
      isRefused: false,
    });
    expect(logins).toEqual([]);
  });

  it('is given up when nothing has answered for ten seconds', async () => {
    server.removeAllListeners('request');
    const asked = new Promise((resolve) => server.once('request', resolve));
    const time = manualTime();
    const signIn = signInToLayer(url, await generateKeyPairSigner(), { time });
    const givenUp = expect(signIn).rejects.toMatchObject({ isRefused: false, cause: { name: 'TimeoutError' } });
    await asked;
    await time.advance(10_000);
    await givenUp;
    server.closeAllConnections();
  });
});
