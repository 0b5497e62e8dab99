// One window, end to end on real parts, by recipients, beside single transfers and bare claims on a validator as empty as the window's.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WindowRun } from '@payouts/cli';
import { findBatchAddress } from '@payouts/client';
import type { ClusterHabits } from '@payouts/localnet';
import type { Postgres } from '@payouts/testing/services';
import type { World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { comeDue } from '../parts/due.ts';
import { type Limit, measureClaims, measureTransfers } from '../parts/limits.ts';
import { somePayees } from '../parts/payees.ts';
import { onLedgers, onPostgres } from '../parts/servers.ts';
import { SERVICE_DEFAULTS } from '../parts/settings.ts';
import { measureProcessors, peakMemory, untilIdle } from '../processes.ts';
import { type Goal, judged, type Measure, type Row } from '../row.ts';
import { median } from '../statistics.ts';

const INTERVAL = 86_400;
const LONGEST_MS = 900_000;
/** Milliseconds between two looks for a window's end, whose time the run itself tells: who asks more often takes part in what is measured. */
const LOOK_MS = 250;
/** Milliseconds after which nothing of a settled window follows any more on the base ledger. */
const QUIET_MS = 2_000;
const PAGE = 1_000;
const MB = 1e6;
const KINDS = ['known', 'new'] as const;
type Kind = (typeof KINDS)[number];

/** From this size on a window is held to its goals. */
const USUAL = 10_000;
const LARGE = 80_000;
/** Those who are new cost no more than those who have their balances: what a window lends for pages comes back. */
const GOALS = { seconds: { known: 2, new: 3 }, raw: 15, lamports: 5, units: 520, layer: 1 } as const;
/** A window's claims beside the same ones bare. */
const BARE = 0.8;

/** What one window took. */
type Window = {
  readonly kind: Kind;
  /** From the instant at which it was due to its end, which is final on the base ledger. */
  readonly dueToFinal: number;
  /** From its first stage's start to its last one's end. */
  readonly stages: number;
  readonly baseTransactions: number;
  /** What has left the execution authority. */
  readonly lamports: number;
  /** Of its transactions in the layer. */
  readonly units: number;
  /** Seconds of the layer's processors. */
  readonly layer: number;
};

/** Windows of one list: the first creates the balances. */
type Size = {
  readonly recipients: number;
  readonly windows: readonly Window[];
  /** Of the coordinator, registration included; MB. */
  readonly peakMemory: number;
  readonly databaseMb: number;
};

function secondsOf({ attempts }: WindowRun): number {
  const ends = attempts.map(({ endedAt }) => endedAt ?? 0);
  return (Math.max(...ends) - Math.min(...attempts.map(({ startedAt }) => startedAt))) / 1_000;
}

/** Transactions that the base ledger has taken since an instant, in unix milliseconds, whoever sent them. */
async function baseTransactions(world: World, since: number): Promise<number> {
  let count = 0;
  for await (const { at } of world.localnet.admin.listTransactions()) if (at >= since) count += 1;
  return count;
}

/** Compute units of all transactions that the layer knows of a batch. */
async function layerUnits({ ledgers }: World, batch: Address): Promise<number> {
  let units = 0n;
  for (let before: { before?: Parameters<typeof ledgers.layer.getTransaction>[0] } = {}; ; ) {
    const found = await ledgers.layer.getSignaturesForAddress(batch, { ...before, limit: PAGE }).send();
    for (const { signature } of found) {
      const options = { encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
      units += (await ledgers.layer.getTransaction(signature, options).send())?.meta?.computeUnitsConsumed ?? 0n;
    }
    const last = found.at(-1)?.signature;
    if (last === undefined || found.length < PAGE) return Number(units);
    before = { before: last };
  }
}

type Payment = { readonly recipients: number; readonly windows: number; readonly habits?: Partial<ClusterHabits> };

/** Has a coordinator pay windows of one list. Every money rule is checked. */
export const payWindows = (payment: Payment): Promise<Size> =>
  onPostgres((postgres) => onLedgers((world) => payOn(world, postgres, payment)));

async function payOn(world: World, postgres: Postgres, payment: Payment): Promise<Size> {
  const { recipients, windows, habits = {} } = payment;
  const databaseUrl = await postgres.createDatabase();
  const databaseSize = async () =>
    Number((await postgres.rows(databaseUrl, 'select pg_database_size(current_database()) as bytes'))[0]?.bytes);
  await world.startCoordinator({ ...SERVICE_DEFAULTS, DATABASE_URL: databaseUrl, PAYLOAD_KEY: world.payloadKey });
  const empty = await databaseSize();
  const first = Math.floor(Date.now() / 1_000) + INTERVAL;
  const employer = await world.employer(somePayees(recipients), {
    executions: windows,
    calendar: { unit: 'seconds', every: INTERVAL, day: 0 },
    firstExecution: BigInt(first),
    batchTimeout: 3_600,
  });
  await world.register(employer);
  await untilIdle(world.coordinatorPid);
  await world.localnet.admin.setHabits(habits);
  const batch = await findBatchAddress(employer.schedule);
  const authorityLamports = async () =>
    Number((await world.ledgers.base.getBalance(world.authority.address).send()).value);
  const measured: Window[] = [];
  let unitsBefore = 0;
  for (let window = 0; window < windows; window++) {
    const [lamportsBefore, since] = [await authorityLamports(), Date.now()];
    const dueAt = await comeDue(world.localnet.admin, first + window * INTERVAL);
    const used = measureProcessors({ layer: [world.localnet.layerPid as number] });
    const run = await world.settled(employer, BigInt(window), LONGEST_MS, LOOK_MS);
    if (run.unpaid.count > 0) throw new Error(`${run.unpaid.count} of ${recipients} recipients were not paid.`);
    const { layer } = used();
    await sleep(QUIET_MS);
    const units = await layerUnits(world, batch);
    measured.push({
      kind: window === 0 ? 'new' : 'known',
      dueToFinal: ((run.finishedAt ?? Number.NaN) - dueAt) / 1_000,
      stages: secondsOf(run),
      baseTransactions: await baseTransactions(world, since),
      lamports: lamportsBefore - (await authorityLamports()),
      units: units - unitsBefore,
      layer,
    });
    unitsBefore = units;
  }
  const databaseMb = ((await databaseSize()) - empty) / MB;
  const size = { recipients, windows: measured, peakMemory: peakMemory(world.coordinatorPid), databaseMb };
  await world.stopCoordinator();
  await world.localnet.admin.setHabits({});
  await world.checkMoneyRules(employer);
  return size;
}

/** The middle of a figure over the windows of a kind. */
export const middle = ({ windows }: Size, kind: Kind, of: Exclude<keyof Window, 'kind'>): number =>
  median(windows.filter((window) => window.kind === kind).map((window) => window[of]));

const named = ({ recipients }: Size, kind: Kind) => `${recipients.toLocaleString('en')} ${kind} recipients`;

function dueRow(size: Size, kind: Kind): Row {
  const goal: { goal?: Goal } = size.recipients === LARGE ? { goal: { most: GOALS.seconds[kind] } } : {};
  return judged({
    name: `${named(size, kind)}, due to final`,
    measured: middle(size, kind, 'dueToFinal'),
    unit: ' s',
    ...goal,
  });
}

/** What a list of the usual size or more is held to, besides its time. */
function largeRows(size: Size, kind: Kind, limits: { readonly transfers: Limit; readonly claims: Limit }): Row[] {
  const { recipients } = size;
  const name = named(size, kind);
  const rate = { name: `${name}, paid by the stages`, measured: recipients / middle(size, kind, 'stages'), unit: '/s' };
  const each = (of: 'lamports' | 'units') => ({
    name: `${name}, each`,
    measured: middle(size, kind, of) / recipients,
    unit: of === 'units' ? ' compute units' : ' lamports',
    goal: { most: GOALS[of] },
  });
  return [
    judged({ ...rate, limit: limits.transfers, ratio: { least: GOALS.raw } }),
    judged({ ...rate, limit: limits.claims, ratio: { least: BARE } }),
    judged(each('lamports')),
    judged(each('units')),
    judged({
      name: `${name}, layer's processor time`,
      measured: middle(size, kind, 'layer'),
      unit: ' s',
      ...(recipients === LARGE && { goal: { most: GOALS.layer } }),
    }),
  ];
}

function listRows(size: Size): Row[] {
  const name = `${size.recipients.toLocaleString('en')} recipients`;
  return [
    judged({ name: `${name}, coordinator's peak memory`, measured: size.peakMemory, unit: ' MB', goal: { most: 512 } }),
    judged({ name: `${name}, database`, measured: size.databaseMb, unit: ' MB', goal: { most: 200 } }),
  ];
}

export const windows: Measure = {
  name: 'windows',
  minutes: 7,
  async run(quick, say) {
    const [small, ...large] = quick ? [10, 300] : [10, USUAL, LARGE];
    const rows: Row[] = [];
    const sizes: Size[] = [];
    for (const recipients of [small as number, ...large]) {
      say(`${recipients.toLocaleString('en')} recipients`);
      sizes.push(await payWindows({ recipients, windows: quick ? 2 : 4 }));
    }
    rows.push(dueRow(sizes[0] as Size, 'known'));
    for (const size of sizes.slice(1)) {
      say(`limits of ${size.recipients.toLocaleString('en')} recipients, on another validator`);
      const [transfers, claims] = await onLedgers(
        async (world) =>
          [await measureTransfers(world, quick ? 1_000 : 20_000), await measureClaims(world, size.recipients)] as const,
      );
      for (const kind of KINDS) {
        rows.push(dueRow(size, kind), ...largeRows(size, kind, { transfers, claims: claims[kind] }));
      }
      rows.push(...listRows(size));
    }
    const most = Math.max(...sizes.flatMap((size) => size.windows.map((window) => window.baseTransactions)));
    const name = 'base transactions a window, whoever is in it, at the most';
    return [...rows, judged({ name, measured: most, unit: '', goal: { most: 4 } })];
  },
};
