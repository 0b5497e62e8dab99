import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

/** Calls of a method that Solana's public nodes answer in 10 s, and the time until a transaction is seen and final there, shortened. */
const PUBLIC = { callsPerMethod: 40, hasHistory: false, listsAccounts: false, landMs: 600, finalMs: 2_500 };
const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);

let world: World;
let mint: string;
let run: (...words: readonly string[]) => ReturnType<typeof payoutHere>;

beforeAll(async () => {
  world = await World.start({ habits: PUBLIC });
  const keypair = join(world.folder, 'employer.json');
  mint = await world.giveToken((await readOrCreateKey(keypair)).address, 100n * UNIT);
  const env = { PAYOUT_RPC: world.urls.baseRpcUrl, NO_COLOR: '1' };
  run = (...words) => payoutHere(env, ...words, '--token', mint, '--keypair', keypair);
});

it("moves an employer's money once behind a public node's limits, and calls nothing failed that went through", async () => {
  const { done, json } = commandsBy((...words) => run(...words));
  expect(await done('vault', 'init', '--yes')).toContain('Opened: ');
  for (const [verb, amount] of [
    ['deposit', '30'],
    ['deposit', '12.5'],
    ['withdraw', '2.5'],
  ] as const) {
    expect(await done('vault', verb, amount, '--yes')).toContain('Done.');
  }
  expect(await json('schedule', 'list')).toEqual([]);
  expect(await json('vault', 'show')).toMatchObject({
    deposited: String((425n * UNIT) / 10n),
    withdrawn: String((25n * UNIT) / 10n),
    available: String(40n * UNIT),
  });
});
