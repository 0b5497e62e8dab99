import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LONGEST_DELEGATION_SECONDS, readDelegation, readDelegationHeader, sessionCode } from '@payouts/client';
import { payoutHere } from '@payouts/testing/payout';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readOrCreateKey } from '../src/keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'payouts-sign-in-'));
const keypair = join(folder, 'operator.json');
let wallet: string;
let session: Parameters<typeof sessionCode>[0];
beforeAll(async () => {
  wallet = (await readOrCreateKey(keypair)).address;
  const { address } = await generateKeyPairSigner();
  session = { session: address, encryption: Uint8Array.of(4, ...Array<number>(64).fill(7)) };
});
afterAll(() => rmSync(folder, { recursive: true }));

const signIn = (code: string, api = 'https://payouts.example.com/any/path', ...more: string[]) =>
  payoutHere({}, 'sign-in', code, '--api', api, '--keypair', keypair, ...more);

it('prints what to paste, for the session of the code, at the address of the page, for an hour at most', async () => {
  const { code, out, err } = await signIn(sessionCode(session));
  expect([code, out.split('\n').length]).toEqual([0, 2]);
  const delegation = readDelegation(readDelegationHeader(out.trim()).text);
  expect(delegation).toMatchObject({ ...session, wallet, origin: 'https://payouts.example.com' });
  const left = delegation.expires - Date.now() / 1_000;
  expect(left).toBeGreaterThan(LONGEST_DELEGATION_SECONDS / 2);
  expect(left).toBeLessThan(LONGEST_DELEGATION_SECONDS);
  for (const line of err.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const json = JSON.parse((await signIn(sessionCode(session), undefined, '--json')).out);
  expect(json).toMatchObject({ wallet, origin: 'https://payouts.example.com' });
});

it('signs nothing for a code that is none, or an address that is none', async () => {
  for (const code of ['x', `${session.session}`, `${session.session}.x`, `${sessionCode(session)}.x`]) {
    expect(await signIn(code)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('no code of the dashboard'),
    });
  }
  expect(await signIn(sessionCode(session), 'nowhere')).toMatchObject({ code: 2, out: '' });
});
