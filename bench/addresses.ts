import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  addressFromBytes,
  addressToBytes,
  type BalanceOwner,
  balanceSeed,
  deriveBalanceAddresses,
  LEAF_RECORD_BYTES,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '@payouts/client';
import { type Address, getProgramDerivedAddress } from '@solana/kit';
import { BLOCK_RECIPIENTS } from '../packages/coordinator/dist/domain/listRecords.js';
import { balanceAt } from '../packages/coordinator/dist/lists/derive.js';
import { deriveInWorker } from '../packages/coordinator/dist/lists/inWorker.js';
import { judged, type Measure } from './runner/measure.ts';
import { count } from './runner/options.ts';
import { median } from './runner/statistics.ts';
import { timed } from './runner/timed.ts';

type Options = { readonly recipients: number; readonly sample: number };

const NANOSECONDS_A_MS = 1e6;
const SALT_BYTES = 16;
const PARTS = 9;

/** The longest time, in milliseconds, that the event loop stood still while something went on; and how long that took. */
async function watched(work: () => Promise<unknown>): Promise<{ milliseconds: number; longestBlock: number }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const milliseconds = await timed(work);
  // Its last sample is taken when the loop turns once more.
  await new Promise((resolve) => setTimeout(resolve, 20));
  delays.disable();
  return { milliseconds, longestBlock: delays.max / NANOSECONDS_A_MS };
}

async function byTheKit(mint: Address, owners: readonly BalanceOwner[]): Promise<Address[]> {
  const derived: Address[] = [];
  for (const owner of owners) {
    const seeds = ['balance', balanceSeed(mint, owner)];
    const [address] = await getProgramDerivedAddress({ programAddress: PAYOUT_LEDGER_PROGRAM_ADDRESS, seeds });
    derived.push(address);
  }
  return derived;
}

/** The owners' records as the coordinator hands them to its thread. */
function blocksOf(owners: readonly BalanceOwner[]): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let start = 0; start < owners.length; start += BLOCK_RECIPIENTS) {
    const part = owners.slice(start, start + BLOCK_RECIPIENTS);
    const block = new Uint8Array(part.length * LEAF_RECORD_BYTES);
    for (const [place, { recipient, salt }] of part.entries()) {
      block.set(addressToBytes(recipient), place * LEAF_RECORD_BYTES);
      block.set(salt, (place + 1) * LEAF_RECORD_BYTES - SALT_BYTES);
    }
    blocks.push(block);
  }
  return blocks;
}

export const addresses: Measure<Options> = {
  name: 'addresses',
  what: "The private balances' addresses of a list beside the kit's own derivation, and how long the event loop stands still.",
  minutes: 0.5,
  options: (command) =>
    command
      .option('--recipients <n>', 'addresses', count, 80_000)
      .option('--sample <n>', 'of them by the kit, which takes half a minute for all', count, 10_000),
  short: ['--recipients', '10000', '--sample', '2000'],
  async run({ recipients, sample }, say) {
    const mint = addressFromBytes(randomBytes(32));
    const owners = Array.from({ length: recipients }, () => ({
      recipient: addressFromBytes(randomBytes(32)),
      salt: new Uint8Array(randomBytes(SALT_BYTES)),
    }));
    const sampled = owners.slice(0, sample);
    say(`${sampled.length} by the kit, ${recipients} by the client and by the coordinator's thread`);
    const byKit: Address[] = [];
    let ours: readonly { readonly address: Address }[] = [];
    let inThread: Uint8Array[] = [];
    // In turn and in parts, so that whatever else the machine does meets both; the middle of each counts.
    const took: { slow: number[]; fast: number[] } = { slow: [], fast: [] };
    for (let part = 0; part < PARTS; part++) {
      const recipients = sampled.slice((part * sample) / PARTS, ((part + 1) * sample) / PARTS);
      took.slow.push(await timed(async () => byKit.push(...(await byTheKit(mint, recipients)))));
      took.fast.push(await timed(() => deriveBalanceAddresses({ mint, recipients })));
    }
    const client = await watched(async () => {
      ours = await deriveBalanceAddresses({ mint, recipients: owners });
    });
    const base = { mint: addressToBytes(mint), program: addressToBytes(PAYOUT_LEDGER_PROGRAM_ADDRESS) };
    const blocks = blocksOf(owners);
    const thread = await watched(async () => {
      inThread = await deriveInWorker({ blocks, base }, new AbortController().signal);
    });
    const last = sampled.length - 1;
    const ofThread = balanceAt(inThread[Math.floor(last / BLOCK_RECIPIENTS)] as Uint8Array, last % BLOCK_RECIPIENTS);
    if (byKit.some((address, place) => ours[place]?.address !== address) || ofThread.address !== byKit[last]) {
      throw new Error("The addresses are not those of the kit's derivation.");
    }

    const perSecond = (many: number, milliseconds: number) => (many / milliseconds) * 1_000;
    const rows = [
      judged({
        id: 'addresses',
        measure: `balance addresses of ${recipients.toLocaleString('en')} recipients`,
        figure: perSecond(sampled.length / PARTS, median(took.fast)),
        unit: '/s',
        limit: perSecond(sampled.length / PARTS, median(took.slow)),
        limitName: "the kit's own derivation",
        goal: { of: 'ratio', least: 20 },
      }),
      judged({
        id: 'addresses.block',
        measure: 'the same, longest time that the event loop stands still',
        figure: client.longestBlock,
        unit: 'ms',
        goal: { of: 'figure', most: 50 },
      }),
    ];
    const line = (by: string, many: number, { milliseconds, longestBlock }: typeof client) => ({
      by,
      addresses: many,
      seconds: (milliseconds / 1_000).toFixed(2),
      'µs each': ((milliseconds / many) * 1_000).toFixed(1),
      'longest block ms': longestBlock.toFixed(1),
    });
    const lines = [
      line('the client, in slices', recipients, client),
      line("the coordinator's thread, its start included", recipients, thread),
    ];
    const facts = { addressMicroseconds: (client.milliseconds / recipients) * 1_000 };
    return { rows, details: [{ title: 'Addresses', rows: lines }], facts };
  },
};
