import {
  findCounterAddress,
  getFundCounterInstructionDataDecoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
} from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import {
  type Base64EncodedWireTransaction,
  type Blockhash,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import { expect, it } from 'vitest';
import type { ExecutionLayer } from '../src/ledger/ledger.ts';
import type { StageContext } from '../src/runs/context.ts';
import { fundCounter } from '../src/runs/fundCounter.ts';
import { counterFunding } from '../src/runs/funding.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { keptLog } from './support/log.ts';
import { randomAddress } from './support/promised.ts';

/** A counter's own rent. */
const OWN = 1_336_320n;
const DEMAND = { recipients: 4, deliveries: 1 };
const NEEDED = counterFunding(OWN, DEMAND);
/** What the layer says of a program that it has fetched in the same slot. */
const TOO_EARLY = { InstructionError: [1, 'UnsupportedProgramId'] };
/** The program's `InvalidAccount`: the batch would keep too little. */
const BATCH_SHORT = { InstructionError: [1, { Custom: 6005 }] };
/** The layer's: an account would keep too little. */
const RENT = { InsufficientFundsForRent: { account_index: 2n } };
const WARNING = "a counter's lamports are low, and the window's batch has not given more";

/** What becomes of a transaction: it is executed, with its status shown or not; never arrives; or fails so. */
type End = 'executed' | 'unanswered' | 'lost' | { readonly failed: unknown } | { readonly refused: unknown };

function lamportsIn(wire: Base64EncodedWireTransaction): bigint {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (!('instructions' in message)) throw new Error('no instructions');
  const data = message.instructions.at(-1)?.data ?? new Uint8Array();
  return getFundCounterInstructionDataDecoder().decode(data).lamports;
}

/** Funds a counter of so many lamports in a layer that does this to each transaction in turn. */
async function fundedBy(ends: readonly End[], { lamports = OWN } = {}) {
  const mint = randomAddress();
  const address = await findCounterAddress(mint, { programAddress: program });
  const left = [...ends];
  const sent = new Set<string>();
  let end: End | undefined;
  let counter = lamports;
  const layer: ExecutionLayer = {
    ...layerShowing(() => [{ address, owner: program, lamports: counter, data: new Uint8Array(64) }]),
    lifetime: async () => ({ blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 1n }),
    send: async (wire) => {
      if (sent.has(wire)) return { kind: 'duplicate' };
      sent.add(wire);
      end = left.shift();
      if (end === undefined) throw new Error('one transaction too many');
      if (end === 'executed' || end === 'unanswered') counter += lamportsIn(wire);
      return typeof end === 'object' && 'refused' in end
        ? { kind: 'refused', err: end.refused, logs: [] }
        : { kind: 'taken' };
    },
    statuses: async () => {
      if (end === 'executed') return [{ err: null, commitment: 'finalized' }];
      return typeof end === 'object' && 'failed' in end ? [{ err: end.failed, commitment: 'finalized' }] : [null];
    },
  };
  const time = manualTime();
  const { log, lines } = keptLog(time);
  const { signal } = new AbortController();
  const authority = await generateKeyPairSigner();
  const context = { authority, config: randomAddress(), layer, program, time, signal, log } as unknown as StageContext;
  const at = { schedule: randomAddress(), batch: randomAddress(), window: 0n, program };
  await time.during(fundCounter(context, at, mint, DEMAND));
  const warnings = lines().map(({ msg, detail }) => ({ msg, detail }));
  return { counter, left, sent: sent.size, warnings };
}

it('gives a counter what it lacks, once, and a counter that lacks nothing nothing', async () => {
  expect(await fundedBy(['executed'])).toEqual({ counter: OWN + NEEDED, left: [], sent: 1, warnings: [] });
  const enough = { lamports: OWN + NEEDED };
  expect(await fundedBy([], enough)).toEqual({ counter: OWN + NEEDED, left: [], sent: 0, warnings: [] });
});

it('tries again where a layer refuses what comes too early', async () => {
  for (const early of [{ failed: TOO_EARLY }, { refused: 'VerificationFailure' }]) {
    const { counter, warnings } = await fundedBy([early, early, 'executed']);
    expect([counter, warnings]).toEqual([OWN + NEEDED, []]);
  }
});

it('believes the counter and not a missing answer', async () => {
  expect(await fundedBy(['unanswered'])).toMatchObject({ counter: OWN + NEEDED, sent: 1, warnings: [] });
  expect(await fundedBy(['lost', 'executed'])).toMatchObject({ counter: OWN + NEEDED, sent: 2, warnings: [] });
});

it('says why a counter got nothing, and stops nobody', async () => {
  const early = { failed: TOO_EARLY };
  const reasons: [readonly End[], string][] = [
    [[early, early, early], 'instruction error: 1, unsupported program id'],
    [new Array(3).fill({ failed: RENT }), 'insufficient funds for rent: account index: 2'],
    [['lost', 'lost', 'lost'], 'no answer'],
    // The batch can't give more: trying again is of no use.
    [[{ failed: BATCH_SHORT }], 'InvalidAccount'],
  ];
  for (const [ends, reason] of reasons) {
    const { counter, left, warnings } = await fundedBy(ends);
    expect([counter, left]).toEqual([OWN, []]);
    expect(warnings).toEqual([{ msg: WARNING, detail: expect.stringContaining(reason) }]);
  }
});
