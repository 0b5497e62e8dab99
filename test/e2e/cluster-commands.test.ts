import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { findSponsorAddress } from '@payouts/client';
import { SPONSOR_LAMPORTS } from '@payouts/employer';
import { CLUSTER_HABITS, type ClusterHabits } from '@payouts/localnet';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { PAYOUT, startProgram } from '@payouts/testing/program';
import { shareOf } from '@payouts/testing/share';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

/** What a cluster takes until a transaction lands, and until it is final, milliseconds. */
const CLUSTER = { landMs: 600, finalMs: 12_800 };
const AT_ONCE = { landMs: 0, finalMs: 0 };
/** Late enough for a command to wait for both, and to be killed meanwhile. */
const SOON = { landMs: 600, finalMs: 1_000 };
/** What a command may take there, milliseconds: less than it would if it waited twice until something is final; and what one that doesn't wait may. */
const [WITHIN_MS, UNAWAITED_MS] = [25_000, CLUSTER.finalMs];
/** Habits that the gate tries; `npm run habits` tries all. */
const TRIED = 2;
const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);

let world: World;
let mint: string;
let keypair: string;
let env: Record<string, string>;
let run: (...words: readonly string[]) => ReturnType<typeof payoutHere>;

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
});

beforeEach(async () => {
  const name = await freshWallet();
  keypair = join(world.folder, `${name}.json`);
  mint = await world.giveToken((await readOrCreateKey(keypair)).address, 100n * UNIT);
  const outbox = join(world.folder, `${name}-sent`);
  mkdirSync(outbox);
  env = {
    PAYOUT_RPC: world.urls.baseRpcUrl,
    PAYOUT_API: world.apiUrl,
    PAYOUT_BOOK: join(world.folder, `${name}-lists`),
    PAYOUT_OUTBOX: outbox,
    NO_COLOR: '1',
  };
  run = (...words) => payoutHere(env, ...words, '--keypair', keypair);
});
afterEach(() => world.localnet.admin.setHabits(AT_ONCE));

const ofToken = () => ['--token', mint] as const;
const kept = () => readdirSync(env.PAYOUT_OUTBOX as string).filter((name) => name.endsWith('.json'));

/** How long a command took, milliseconds, and what it printed. */
async function timed(...words: readonly string[]) {
  const began = performance.now();
  const printed = await commandsBy((...all) => run(...all)).done(...words);
  return { tookMs: performance.now() - began, printed };
}

async function payroll(): Promise<string> {
  const people = await Promise.all([1, 2, 3].map(freshWallet));
  const file = join(world.folder, `${people[0]}.csv`);
  writeFileSync(file, ['recipient,amount', ...people.map((each, place) => `${each},${place + 1}`)].join('\n'));
  return file;
}

const schedule = (file: string) =>
  ['schedule', 'create', file, ...ofToken(), '--executions', '2', '--every', '1d', '--first', 'now', '--yes'] as const;

/** Starts a command in a process of its own, and kills it as soon as it has kept what it sends: that lands only afterwards. */
async function killedWhileSending(...words: readonly string[]): Promise<void> {
  await world.localnet.admin.setHabits({ ...SOON, landMs: 5_000 });
  const child = startProgram(PAYOUT, env, [...words, '--keypair', keypair]);
  await vi.waitFor(() => expect(kept()).not.toEqual([]), {
    timeout: 60_000,
    interval: 5,
  });
  await new Promise((resolve) => {
    child.once('close', resolve);
    child.kill('SIGKILL');
  });
  await world.localnet.admin.setHabits(SOON);
}

/** Each by itself, with a finality that keeps the test short; and all together. */
const HABITS: readonly [string, Partial<ClusterHabits>][] = [
  ['sends are lost', { loadSends: 0, lostShare: CLUSTER_HABITS.lostShare }],
  ['transactions need a bid', { baseBid: CLUSTER_HABITS.baseBid }],
  ['every second call is answered by a node that is behind', { behindMs: CLUSTER_HABITS.behindMs }],
  ['nodes refuse many calls, and say when to come again', { calls: 100, callsPerMethod: 40, saysRetryAfter: true }],
  ['nodes refuse many calls, and do not say when', { calls: 100, callsPerMethod: 40 }],
  ['nodes keep no history', { hasHistory: false }],
  ['all of it comes together', { ...CLUSTER_HABITS, finalMs: 4_000 }],
];

describe.each(shareOf(HABITS, TRIED))('where %s', (_, habits) => {
  it('an employer moves money and promises a payroll: nothing is called failed, nothing is done twice, and sums are equal', async () => {
    await world.localnet.admin.setHabits({ ...SOON, ...habits });
    await timed('vault', 'init', ...ofToken(), '--yes');
    await timed('vault', 'deposit', '30', ...ofToken(), '--yes');
    await timed('vault', 'deposit', '12.5', ...ofToken(), '--yes');
    await timed('vault', 'withdraw', '2.5', ...ofToken(), '--yes');
    await timed(...schedule(await payroll()));
    const { json } = commandsBy((...words) => run(...words));
    expect(await json('vault', 'show', ...ofToken())).toMatchObject({
      deposited: String((425n * UNIT) / 10n),
      withdrawn: String((25n * UNIT) / 10n),
    });
    expect((await json<{ schedules: unknown[] }>('vault', 'show', ...ofToken())).schedules).toHaveLength(1);
    expect(kept()).toEqual([]);
  });
});

describe('on a cluster', () => {
  it("a vault is opened, its token's first, and a schedule created within 25 seconds each", async () => {
    await world.localnet.admin.setHabits(CLUSTER);
    const init = await timed('vault', 'init', ...ofToken(), '--yes');
    expect(init.printed).toContain('It is usually final after 13 seconds');
    expect(init.tookMs).toBeLessThan(WITHIN_MS);
    await timed('vault', 'deposit', '50', ...ofToken(), '--yes');
    const create = await timed(...schedule(await payroll()));
    expect(create.printed).toContain('Promised and registered.');
    expect(create.tookMs).toBeLessThan(WITHIN_MS);
    expect(kept()).toEqual([]);
  });

  it('a command that may end at confirmed does so, and shows what it has done', async () => {
    await timed('vault', 'init', ...ofToken(), '--yes');
    await world.localnet.admin.setHabits(CLUSTER);
    const { tookMs, printed } = await timed(
      'vault',
      'deposit',
      '30',
      ...ofToken(),
      '--yes',
      '--commitment',
      'confirmed',
    );
    expect(tookMs).toBeLessThan(UNAWAITED_MS);
    expect(printed).toMatch(/= available +30/);
  });

  it('a vault whose command was killed while it was opened is opened when it is given again', async () => {
    const init = ['vault', 'init', ...ofToken(), '--yes'] as const;
    await killedWhileSending(...init);
    expect((await timed(...init)).printed).toContain('Opened: ');
    expect(kept()).toEqual([]);
    const sponsor = await findSponsorAddress(mint as Address);
    expect((await world.ledgers.base.getBalance(sponsor).send()).value).toBe(SPONSOR_LAMPORTS);
    await timed('vault', 'deposit', '1', ...ofToken(), '--yes');
  });

  it('a deposit that was killed while it sent, and is given again, moves the money once', async () => {
    await timed('vault', 'init', ...ofToken(), '--yes');
    const deposit = ['vault', 'deposit', '20', ...ofToken(), '--yes'] as const;
    await killedWhileSending(...deposit);
    const { printed } = await timed(...deposit);
    expect(printed).toContain('An earlier command did not learn what became of its transaction');
    expect(printed).toContain('That was this command: it is done, and nothing is sent again.');
    expect(kept()).toEqual([]);
    const { json } = commandsBy((...words) => run(...words));
    expect(await json('vault', 'show', ...ofToken())).toMatchObject({ deposited: String(20n * UNIT) });
    // Known to be done, it is done once more where that is wanted.
    expect((await timed(...deposit)).printed).toContain('Done.');
    expect(await json('vault', 'show', ...ofToken())).toMatchObject({ deposited: String(40n * UNIT) });
  });

  it('another deposit than the one that was killed is told of it, and made', async () => {
    await timed('vault', 'init', ...ofToken(), '--yes');
    await killedWhileSending('vault', 'deposit', '20', ...ofToken(), '--yes');
    const { printed } = await timed('vault', 'deposit', '5', ...ofToken(), '--yes');
    expect(printed).toContain('It is on the ledger.');
    const { json } = commandsBy((...words) => run(...words));
    expect(await json('vault', 'show', ...ofToken())).toMatchObject({ deposited: String(25n * UNIT) });
  });

  it('a list whose command was killed while it sent is registered when it is given again, and promised once', async () => {
    await timed('vault', 'init', ...ofToken(), '--yes');
    await timed('vault', 'deposit', '50', ...ofToken(), '--yes');
    const create = schedule(await payroll());
    await killedWhileSending(...create);
    expect((await timed(...create)).printed).toContain('Promised before, and registered: ');
    expect(kept()).toEqual([]);
    const { json } = commandsBy((...words) => run(...words));
    expect(await json('vault', 'show', ...ofToken())).toMatchObject({ reserved: String(12n * UNIT) });
    const [made, ...others] = await json<{ schedule: string }[]>('schedule', 'list', ...ofToken());
    expect(others).toEqual([]);

    // So is another list.
    const update = ['schedule', 'update', made?.schedule as string, await payroll(), '--yes'] as const;
    await killedWhileSending(...update);
    expect((await timed(...update)).printed).toContain('Promised before, and registered: ');
    expect(kept()).toEqual([]);
    // One that was mended meanwhile is another one: what became of the first is told, and then it is promised.
    const rootOf = async () => (await json<{ root: string }>('schedule', 'show', made?.schedule as string)).root;
    const [, , , file] = update;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/,3$/m, ',4'));
    await killedWhileSending(...update);
    const first = await rootOf();
    writeFileSync(file, readFileSync(file, 'utf8').replace(/,4$/m, ',5'));
    const told = await run(...update);
    expect([told.code, told.err]).toEqual([1, expect.stringMatching(/another\s+one/)]);
    expect(kept()).toEqual([]);
    expect((await timed(...update)).printed).toContain('registered');
    expect(await rootOf()).not.toBe(first);
    expect(await json('schedule', 'show', made?.schedule as string)).toMatchObject({ registration: 'registered' });
  });
});
