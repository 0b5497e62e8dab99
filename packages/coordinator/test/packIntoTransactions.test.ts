import { randomBytes } from 'node:crypto';
import { buildTransaction, settleInstructions } from '@payouts/client';
import { type Address, type Blockhash, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packIntoTransactions } from '../src/liabilities/packIntoTransactions.ts';
import { randomAddress } from './support/promised.ts';

const MOST_BYTES = 1_232;

it('puts as many settlements into a transaction as fit', async () => {
  const authority = await generateKeyPairSigner();
  const [program, mint] = [randomAddress(), randomAddress()];
  const liabilities = {
    sequence: 1n,
    root: randomBytes(32),
    total: 1n,
    openings: 1n,
    movedIn: 1n,
    coveredTo: 1n,
    leaves: 1,
    withdrawalsRoot: new Uint8Array(32),
    withdrawalLeaves: 0,
  };
  const bytesOf = async (windows: readonly { vault: Address; schedule: Address }[], place: number) => {
    const { wire } = await buildTransaction({
      feePayer: authority,
      instructions: await settleInstructions({
        authority,
        mint,
        windows: windows.map((each) => ({ ...each, window: 1n, paid: 1n })),
        liabilities: place === 0 ? liabilities : undefined,
        programAddress: program,
      }),
      lifetime: { blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 1n },
      computeUnitLimit: 60_000 * windows.length,
      computeUnitPrice: 1n,
    });
    return Buffer.from(wire, 'base64').length;
  };
  const vaults = Array.from({ length: 4 }, randomAddress);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 24 }), async (places) => {
      const windows = places.map((place) => ({ vault: vaults[place] as Address, schedule: randomAddress() }));
      const groups = packIntoTransactions(windows);
      expect(new Set(groups.flat())).toEqual(new Set(windows));
      expect(groups.flat()).toHaveLength(windows.length);
      for (const [place, group] of groups.entries()) {
        expect(await bytesOf(group, place)).toBeLessThanOrEqual(MOST_BYTES);
        const [next] = groups[place + 1] ?? [];
        if (next === undefined) continue;
        const isTooMuch = await bytesOf([...group, next], place).then(
          (bytes) => bytes > MOST_BYTES,
          () => true,
        );
        expect(isTooMuch).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
  const ofOne = Array.from({ length: 18 }, () => ({ vault: vaults[0] as Address, schedule: randomAddress() }));
  expect(packIntoTransactions(ofOne).map(({ length }) => length)).toEqual([8, 10]);
  const ofMany = Array.from({ length: 10 }, () => ({ vault: randomAddress(), schedule: randomAddress() }));
  expect(packIntoTransactions(ofMany).map(({ length }) => length)).toEqual([5, 5]);
});
