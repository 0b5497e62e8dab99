// What private balances cost the execution layer: processor time, memory and room, while they become more and more.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inSeconds, type World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { BarePages, openBare } from '../parts/bareClaims.ts';
import { execute } from '../parts/limits.ts';
import { somePayees } from '../parts/payees.ts';
import { onLedgers } from '../parts/servers.ts';
import { residentMemory } from '../processes.ts';
import { judged, type Measure, type Row } from '../row.ts';
import { slope } from '../statistics.ts';

const LATER_SECONDS = 86_400;
const MICROSECONDS = 1e6;
const BYTES_A_MB = 1_048_576;
/** Bytes of a block as the file system counts them. */
const BLOCK_BYTES = 512;
/** The validator keeps every account twice, so that it can throw away what a transaction changed: 2 × 40 bytes, and a page's head. */
const STORE_GOAL = 90;
/** Bytes of the layer's memory for each. */
const MEMORY_GOAL = 150;
/** Its share of what a page takes, 326,272 lamports for 240; the rest is for pages that aren't full. */
const LENT_GOAL = 1_440;
/** Private balances of which a layer is to have room, see LAYER_BALANCES. */
const ROOM = 1_000_000;

/** What the layer holds with so many balances, in bytes. */
type Held = { readonly balances: number; readonly memory: number; readonly store: number };

function held(world: World, balances: number): Held {
  const memory = residentMemory(world.localnet.layerPid as number) * BYTES_A_MB;
  const file = join(world.folder, 'localnet', 'layer', 'storage', 'accountsdb', 'main', 'accounts.db');
  return { balances, memory, store: statSync(file).blocks * BLOCK_BYTES };
}

/** Bytes that the layer's store of accounts may have, as its settings say. */
function storeBytes({ folder }: World): number {
  const settings = readFileSync(join(folder, 'localnet', 'layer', 'config.toml'), 'utf8');
  return Number(/^database-size = (\d+)$/m.exec(settings)?.[1]);
}

/** Pays so many lists of as many new people, and then the last one again. */
async function measureBalances(world: World, lists: number, recipients: number): Promise<Row[]> {
  const employer = await world.employer(somePayees(1), { firstExecution: inSeconds(LATER_SECONDS) });
  const pages = new BarePages(world, employer.mint);
  let id = 1n;
  const lamportsOf = async (batch: Address) => Number((await world.ledgers.layer.getBalance(batch).send()).value);
  /** Microseconds of the layer's processors and lamports of the layer's for each balance, its page's making included. */
  const pay = async (payees: ReturnType<typeof somePayees>) => {
    const window = await openBare(world, employer, payees, id++);
    const lent = await lamportsOf(window.batch);
    const { layer } = await execute(world, await pages.claiming(window));
    const time = (layer / recipients) * MICROSECONDS;
    return { time, lamports: (lent - (await lamportsOf(window.batch))) / recipients };
  };
  const samples: Held[] = [held(world, 0)];
  const each: Awaited<ReturnType<typeof pay>>[] = [];
  let payees = somePayees(recipients);
  for (let list = 1; list <= lists; list++) {
    payees = somePayees(recipients);
    each.push(await pay(payees));
    samples.push(held(world, list * recipients));
  }
  // What the validator remembers of a payment is there again, whoever is new: as many to the same people. It grows in steps.
  const again: Held[] = [held(world, 0)];
  const known: Awaited<ReturnType<typeof pay>>[] = [];
  for (let list = 1; list <= lists; list++) {
    known.push(await pay(payees));
    again.push(held(world, list * recipients));
  }
  const slopeOf = (some: readonly Held[], of: 'memory' | 'store') =>
    slope(some.map((sample) => [sample.balances, sample[of]]));
  const payment = slopeOf(again, 'memory');
  const growth = (of: 'memory' | 'store') => slopeOf(samples, of);
  const all = (lists * recipients).toLocaleString('en');
  const name = `a private balance among ${all}`;
  return [
    judged({
      name: `${name}, layer's processor time, new`,
      measured: each.at(-1)?.time ?? Number.NaN,
      unit: ' µs',
      limit: { value: each[0]?.time ?? Number.NaN, of: `among the first ${recipients.toLocaleString('en')}` },
      ratio: { most: 1.5 },
    }),
    judged({ name: `${name}, layer's processor time, known`, measured: known.at(-1)?.time ?? Number.NaN, unit: ' µs' }),
    judged({
      name: `${name}, lent by a window while it is new`,
      measured: each.at(-1)?.lamports ?? Number.NaN,
      unit: ' lamports',
      goal: { most: LENT_GOAL },
    }),
    judged({
      name: `${name}, layer's memory`,
      measured: growth('memory') - payment,
      unit: ' bytes',
      goal: { most: MEMORY_GOAL },
    }),
    judged({ name: `${name}, layer's memory a payment`, measured: payment, unit: ' bytes' }),
    judged({ name: `${name}, layer's store`, measured: growth('store'), unit: ' bytes', goal: { most: STORE_GOAL } }),
    judged({
      name: "private balances that the layer's store has room for",
      measured: storeBytes(world) / growth('store'),
      unit: '',
      goal: { least: ROOM },
    }),
  ];
}

export const balances: Measure = {
  name: 'balances',
  minutes: 4,
  run: (quick) => onLedgers((world) => measureBalances(world, quick ? 3 : 5, quick ? 2_000 : 80_000)),
};
