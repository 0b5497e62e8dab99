import { AccountRole } from '@solana/kit';
import { expect, it } from 'vitest';
import { fixtures } from '../fixtures/all.ts';
import { refusal } from './support/call.ts';

/** These take as many accounts as their data or the batch says, and the delegation program appends its own to this payment's. */
const OPEN_ENDED: readonly string[] = [
  'claimPayment',
  'openBitmap',
  'openPages',
  'commit',
  'settle',
  'setPermissions',
  'payOut',
];
const closed = fixtures.filter(({ name }) => !OPEN_ENDED.includes(name));

it.each(closed.map((fixture) => [fixture.name, fixture] as const))('%s refuses surplus accounts', (_, fixture) => {
  const { scene, instruction } = fixture.prepare();
  const surplus = { address: scene.world.stranger, role: AccountRole.READONLY };
  const accounts = [...(instruction.accounts ?? []), surplus];
  expect(refusal(fixture, scene, { ...instruction, accounts })).toBe('SurplusAccounts');
});
