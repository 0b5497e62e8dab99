import { delegationHeader, delegationText } from '@payouts/client/browser';
import { manualTime } from '@payouts/testing/manualTime';
import { generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { pastedDelegation } from '../src/session/delegation.ts';

const ORIGIN = 'https://payouts.example.com';
const HOUR_SECONDS = 3_600;
const time = manualTime();

async function printed(change: { readonly origin?: string; readonly inSeconds?: number } = {}) {
  const [wallet, session] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  const { origin = ORIGIN, inSeconds = HOUR_SECONDS } = change;
  const expires = time.now() / 1_000 + inSeconds;
  const text = delegationText({ origin, wallet: wallet.address, session: session.address, encryption: null, expires });
  return { header: delegationHeader({ text, signature: new Uint8Array(64) }), session: session.address };
}

it('takes what the command printed, broken over lines or with the header’s name before it', async () => {
  const { header, session } = await printed();
  const page = { origin: ORIGIN, session, time };
  const broken = header.replaceAll(/(.{60})/g, '$1\n  ');
  for (const pasted of [header, ` ${header}\n`, broken, `payouts-delegation: ${header}`]) {
    expect(pastedDelegation(pasted, page)).toBe(header);
  }
});

it('says what is wrong with what was pasted', async () => {
  const { header, session } = await printed();
  const page = { origin: ORIGIN, session, time };
  expect(() => pastedDelegation('payout: command not found', page)).toThrow('Paste the whole line');
  expect(() => pastedDelegation(header.slice(0, -9), page)).toThrow('Paste the whole line');
  expect(() => pastedDelegation(header, { ...page, session: 'S'.repeat(44) })).toThrow('for another code');
  const other = await printed({ origin: 'https://elsewhere.example.com' });
  expect(() => pastedDelegation(other.header, { ...page, session: other.session })).toThrow(
    'run the command with --api https://payouts.example.com',
  );
  const old = await printed({ inSeconds: -1 });
  expect(() => pastedDelegation(old.header, { ...page, session: old.session })).toThrow('has expired');
});
