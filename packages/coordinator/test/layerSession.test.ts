import type { Address } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { HttpFailure } from '../src/ledger/rpcCall.ts';
import { SignInFailed, type Token } from '../src/tee/endpoint.ts';
import { Session } from '../src/tee/session.ts';

const URL = 'http://layer.example/rpc?api-key=k';
const signer = { address: 'A' as Address, signText: async () => new Uint8Array(64) };

describe('a session with a private execution layer', () => {
  let now: number;
  let signIns: number;
  let answer: () => Promise<Token>;
  let session: Session;
  const tokens: string[] = [];
  const call = async (url: string) => {
    const token = new globalThis.URL(url).searchParams.get('token') ?? '';
    tokens.push(token);
    return token;
  };

  beforeEach(() => {
    [now, signIns] = [0, 0];
    tokens.length = 0;
    answer = async () => ({ token: `t${signIns}`, expiresAt: now + 1_000 });
    const signIn = () => {
      signIns += 1;
      return answer();
    };
    session = new Session({ signIn }, signer, { now: () => now });
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
      if (token === 't1') throw new HttpFailure('getSlot', 401, null);
      return token;
    };
    expect(await Promise.all([1, 2, 3].map(() => session.within(URL, refusesFirst)))).toEqual(['t2', 't2', 't2']);
    expect(signIns).toBe(2);
  });

  it('says that it is not let in when the new token is refused as well, or the sign-in is', async () => {
    const refuses = () => Promise.reject(new HttpFailure('getSlot', 403, null));
    await expect(session.within(URL, refuses)).rejects.toMatchObject({ code: 'layer-sign-in-refused' });
    answer = () => Promise.reject(new SignInFailed(true, {}));
    await expect(session.within(URL, call)).rejects.toMatchObject({ code: 'layer-sign-in-refused' });
  });

  it('tries to sign in again after it failed, and lets every other error pass', async () => {
    answer = () => Promise.reject(new SignInFailed(false, {}));
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
