import { expect, it } from 'vitest';
import { counterFunding } from '../src/runs/funding.ts';

/** Lamports of the layer: 32 a byte, and 60 bytes for any account; the permission of an account with one reader has 101. */
const rent = (bytes: number) => 32n * BigInt(bytes + 60);
const personal = (withdrawals: number) => rent(312 + 64 * withdrawals) + rent(101);
/** What the base ledger keeps in a counter of 64 bytes. */
const OWN = 6_960n * (64n + 128n);

it('gives a counter enough for every delivery, and for what one in a hundred asks for, beside its own rent', () => {
  for (const [recipients, deliveries, accounts] of [
    [1, 0, 400n],
    [40_000, 1, 400n],
    [1_000_000, 80_384, 10_000n],
  ] as const) {
    const wanted = BigInt(deliveries) * personal(2);
    const least = OWN + wanted + (accounts / 10n) * personal(16);
    const demand = { recipients, deliveries };
    expect(counterFunding(least, demand)).toBe(0n);
    const full = OWN + wanted + accounts * personal(16);
    for (const lamports of [0n, OWN, least - 1n]) expect(lamports + counterFunding(lamports, demand)).toBe(full);
  }
});
