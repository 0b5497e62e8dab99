import { generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { manualLedger } from './manualLedger.ts';

/** Which of so many sends, with so long between them, have landed in the end: their places. */
async function landed(habits: Readonly<Record<string, unknown>>, count: number, betweenMs: number): Promise<number[]> {
  const { time, ask, send, ledger } = await manualLedger();
  await ask('localnet_setHabits', habits);
  const signatures: string[] = [];
  for (let sent = 0; sent < count; sent++) {
    signatures.push(await send((await generateKeyPairSigner()).address, 5_000_000n));
    await time.advance(betweenMs);
  }
  await time.advance(1_000);
  const { value } = await ask('getSignatureStatuses', signatures);
  ledger.close();
  return [...signatures.keys()].filter((place) => value[place] !== null);
}

const places = (count: number) => [...Array(count).keys()];

it('loses a share of the sends beyond so many in a second, and answers them as always', async () => {
  const habits = { loadSends: 5, lostShare: 0.5, landMs: 600 };
  expect(await landed(habits, 12, 50)).toEqual([0, 1, 2, 3, 4, 5, 7, 9, 11]);
});

it('loses the same ones each time, and none while there is no load', async () => {
  expect(await landed({ loadSends: 5, lostShare: 1 }, 12, 200)).toEqual(places(12));
  expect(await landed({ loadSends: 5, lostShare: 0 }, 12, 50)).toEqual(places(12));
  expect(await landed({ loadSends: 0, lostShare: 0.25 }, 12, 5_000)).toEqual([0, 1, 2, 4, 5, 6, 8, 9, 10]);
});
