import { sendToBase, systemTime } from '@payouts/client';
import { startPostgres } from '@payouts/testing/services';
import { World } from '@payouts/testing/world';
import type { Measure } from './runner/measure.ts';
import { count, counts } from './runner/options.ts';
import { measureBareClaims } from './windows/bareClaims.ts';
import { measureRawTransfers } from './windows/rawTransfers.ts';
import {
  type Limits,
  lamportRows,
  largeRows,
  middle,
  rateRows,
  transactionRow,
  windowDetails,
  windowPlot,
} from './windows/rows.ts';
import { measureSize, type SizeFigures } from './windows/size.ts';

type Options = { readonly recipients: readonly number[]; readonly windows: number; readonly transfers: number };

/** The size at which rates and costs are held to their goals. */
const USUAL = 10_000;

/** Works on ledgers of its own: what others have left there would be measured with it. */
async function onLedgers<T>(work: (world: World) => Promise<T>): Promise<T> {
  const world = await World.start();
  try {
    return await work(world);
  } finally {
    await world.stop();
  }
}

async function measureLimits(world: World, recipients: number, transfers: number): Promise<Limits> {
  const raw = await measureRawTransfers(
    world.ledgers,
    world.admin,
    world.localnet.validatorIdentity,
    transfers,
    (instructions) => sendToBase(world.ledgers, instructions, world.admin),
  );
  return { raw: raw.transfers / raw.seconds, bare: await measureBareClaims(world, recipients) };
}

/** What the model reckons with. */
function factsOf(sizes: readonly SizeFigures[], usual: SizeFigures, { raw, bare }: Limits): Record<string, number> {
  const [small, large] = [sizes[0], sizes.at(-1)] as [SizeFigures, SizeFigures];
  const perRecipient = (of: 'lamports', balances: 'new' | 'known') => middle(usual, balances, of) / usual.recipients;
  return {
    rawTransfers: raw,
    bareNew: bare.new,
    bareKnown: bare.known,
    lamportsAWindow: middle(small, small.windows.length > 1 ? 'known' : 'new', 'lamports'),
    lamportsANewRecipient: perRecipient('lamports', 'new'),
    validatorLamportsAWindow: middle(small, 'new', 'validatorLamports'),
    registeredBytesARecipient: large.registeredBytes / large.recipients,
    windowBytesARecipient: middle(large, 'new', 'databaseBytes') / large.recipients,
    largestWindow: large.recipients,
    largestWindowNewSeconds: middle(large, 'new', 'dueToFinal'),
    largestWindowMemoryMb: large.peakMemory,
    smallestWindowMemoryMb: small.peakMemory,
    withdrawalLookMs: large.withdrawalLook,
    baseTransactionsAWindow: Math.max(...usual.windows.map((window) => window.baseTransactions)),
  };
}

export const windows: Measure<Options> = {
  name: 'windows',
  what: 'Windows end to end on real parts, by recipients, beside single transfers and bare claims.',
  minutes: 10,
  options: (command) =>
    command
      .option(
        '--recipients <n,...>',
        'recipients of the measured schedules',
        counts,
        [1, 10, 100, 1_000, 10_000, 80_000],
      )
      .option('--windows <n>', 'windows measured of each; the first creates the balances', count, 3)
      .option('--transfers <n>', 'raw transfers of the limit', count, 6_000),
  short: ['--recipients', '2000', '--windows', '3', '--transfers', '3000'],
  async run({ recipients, windows: many, transfers }, say) {
    const sorted = recipients.toSorted((a, b) => a - b);
    const usualSize = sorted.includes(USUAL) ? USUAL : (sorted.at(-1) as number);
    const postgres = await startPostgres(systemTime);
    const sizes: SizeFigures[] = [];
    const limits = new Map<number, Limits>();
    try {
      for (const size of sorted) {
        say(`${size.toLocaleString('en')} recipients, ${many} windows`);
        sizes.push(await onLedgers((world) => measureSize(world, postgres, { recipients: size, windows: many })));
        if (size !== usualSize && size !== sorted.at(-1)) continue;
        say(`another validator: ${transfers} single transfers, and ${size} claims twice, bare`);
        limits.set(size, await onLedgers((world) => measureLimits(world, size, transfers)));
      }
    } finally {
      await postgres.remove();
    }
    const usual = sizes.find((size) => size.recipients === usualSize) as SizeFigures;
    return {
      rows: [
        ...sizes
          .filter((size) => limits.has(size.recipients))
          .flatMap((size) => rateRows(size, limits.get(size.recipients) as Limits)),
        ...largeRows(sizes.at(-1) as SizeFigures),
        transactionRow(sizes),
        ...lamportRows(usual),
      ],
      details: windowDetails(sizes),
      plots: [windowPlot(sizes)],
      facts: factsOf(sizes, usual, limits.get(usualSize) as Limits),
    };
  },
};
