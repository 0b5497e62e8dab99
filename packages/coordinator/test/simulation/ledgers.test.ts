import { named } from '@payouts/testing/litesvm/addresses';
import { compile } from '@payouts/testing/litesvm/message';
import { SYSTEM_PROGRAM } from '@payouts/testing/litesvm/programs';
import { AccountRole } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { type Delays, Ledgers } from './ledgers/ledgers.ts';
import { signatureOf } from './ledgers/message.ts';

const NONE: Delays = {
  ...{ land: () => 0, execute: () => 0, show: () => 0, giveBack: () => 0, letGo: () => undefined },
  ...{ confirmMs: 0, finalMs: 0 },
};
const SIGNATURE_FEE = 5_000n;
const [authority, other] = [named('authority'), named('other')];

/** Bytes of a transfer by the authority, whose blockhash is good as long as the clock stands at 0. */
function transferOf(lamports: bigint): string {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  const accounts = [
    { address: authority, role: AccountRole.WRITABLE_SIGNER },
    { address: other, role: AccountRole.WRITABLE },
  ];
  const { bytes } = compile([{ programAddress: SYSTEM_PROGRAM, accounts, data }], authority);
  return Buffer.from(bytes).toString('base64');
}

describe.each([false, true])('the base ledger, at once: %s', (isAtOnce) => {
  const effects: string[] = [];
  const ledgers = new Ledgers({
    ...{ authority, delays: NONE, isAtOnce },
    clockwork: { now: 0, after: (_, act) => act() },
    onEffect: (name) => effects.push(name),
  });
  const { base } = ledgers;
  const had = base.account(authority)?.lamports ?? 0n;

  it('refuses what fails, as if it had never come', () => {
    const tooMuch = transferOf(2n * had);
    for (const _ of ['once', 'and again']) {
      expect(ledgers.send(base, tooMuch)).toMatchObject({
        kind: 'refused',
        err: { InstructionError: [0, { Custom: 1 }] },
      });
      expect(ledgers.status(base, signatureOf(tooMuch))).toBeNull();
      expect(base.account(authority)?.lamports).toBe(had);
      expect(base.account(other)).toBeNull();
    }
    expect(effects).toEqual([]);
  });

  it('takes what succeeds, once', () => {
    const wire = transferOf(10n ** 9n);
    expect(ledgers.send(base, wire)).toEqual({ kind: 'taken' });
    expect(ledgers.status(base, signatureOf(wire))).toEqual({ err: null, commitment: 'finalized' });
    expect(ledgers.send(base, wire)).toEqual({ kind: 'duplicate' });
    expect(base.account(authority)?.lamports).toBe(had - 10n ** 9n - SIGNATURE_FEE);
    expect(base.account(other)?.lamports).toBe(10n ** 9n);
    expect(effects).toEqual(['base']);
  });
});
