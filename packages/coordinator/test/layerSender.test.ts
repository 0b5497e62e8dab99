import { buildTransaction } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { type Blockhash, generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { LayerSender } from '../src/runs/layerSend.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { randomAddress } from './support/promised.ts';

/** What the layer says of a program that it has fetched in the same slot. */
const TOO_EARLY = { InstructionError: [1, 'UnsupportedProgramId'] };
const OTHER = { InstructionError: [1, { Custom: 6005 }] };

/** What becomes of a transaction in a layer whose transactions end so, one after the other; and how many it was sent. */
async function sentTo(ends: readonly unknown[]) {
  const time = manualTime();
  const sent = new Set<string>();
  const layer = {
    ...layerShowing(() => []),
    lifetime: async () => ({ blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 1n }),
    send: async (wire: string) => {
      sent.add(wire);
      return { kind: 'taken' } as const;
    },
    statuses: async () => [{ err: ends[sent.size - 1], commitment: 'finalized' } as const],
  };
  const feePayer = await generateKeyPairSigner();
  const sender = new LayerSender({ layer, time, signal: new AbortController().signal });
  const err = await time.during(sender.send((terms) => buildTransaction({ feePayer, instructions: [], ...terms })));
  return { err, sent: sent.size };
}

it('sends another transaction where the layer has fetched the program in the same slot', async () => {
  expect(await sentTo([null])).toMatchObject({ err: null, sent: 1 });
  expect(await sentTo([TOO_EARLY, TOO_EARLY, null])).toMatchObject({ err: null, sent: 3 });
});

it('tells of every other error at once, and of that one when it does not pass', async () => {
  expect(await sentTo([OTHER])).toMatchObject({ err: OTHER, sent: 1 });
  expect(await sentTo([TOO_EARLY, TOO_EARLY, TOO_EARLY])).toMatchObject({ err: TOO_EARLY, sent: 3 });
});
