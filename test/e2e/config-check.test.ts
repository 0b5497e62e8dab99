import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { systemTime } from '@payouts/client';
import { runCommand } from '@payouts/testing/command';
import type { SharedPostgres } from '@payouts/testing/postgres';
import { startValkey } from '@payouts/testing/services';
import { World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const NOWHERE = 'http://127.0.0.1:9';

let world: World;
let postgres: SharedPostgres;
let settings: Record<string, string>;
beforeAll(async () => {
  const [started, valkey] = await Promise.all([World.start(), startValkey(systemTime)]);
  world = started;
  postgres = await world.postgres();
  settings = {
    ...world.settings,
    DATABASE_URL: await postgres.createEmptyDatabase(),
    RATE_LIMIT_STORE_URL: valkey.url,
    PAYLOAD_KEY: 'env:LISTS',
    LISTS: 'ab'.repeat(32),
  };
});

async function run(command: readonly string[], changed: Readonly<Record<string, string>> = {}) {
  const { code, printed } = await runCommand({ ...settings, ...changed }, ...command);
  return { code, lines: printed.trim().split('\n') };
}

it('finds everything in order, and changes nothing', async () => {
  const { code, lines } = await run(['config', 'check']);
  expect(lines.map((line) => line[0])).toEqual(['✔', '✔', '✔', '✔', '!', ...Array(10).fill('✔')]);
  expect(lines[4]).toMatch(/database: it lacks 0001_initial.*which the next start brings/);
  expect(code).toBe(0);
  expect(
    await postgres.rows(settings.DATABASE_URL ?? '', "select 1 from pg_tables where schemaname = 'public'"),
  ).toEqual([]);

  expect((await run(['migrate'])).lines).toEqual([expect.stringMatching(/^Done: 0001_initial.*0000_engine\.$/)]);
  expect((await run(['migrate'])).lines).toEqual(['Nothing to do.']);
  const after = await run(['config', 'check']);
  expect(after.lines.filter((line) => !line.startsWith('✔'))).toEqual([]);
});

it('says of each thing that is wrong how to mend it', async () => {
  const other = join(world.folder, 'other.json');
  await readOrCreateKey(other);
  const { code, lines } = await run(['config', 'check'], {
    EXECUTION_AUTHORITY_KEY: other,
    LISTS: 'short',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:9/payouts',
    RATE_LIMIT_STORE_URL: 'redis://127.0.0.1:9',
    SMTP_URL: 'smtp://127.0.0.1:9',
    SMTP_FROM: 'payouts@example.com',
    PUBLIC_ORIGINS: 'https://payouts.example.com',
    BASE_WS_URL: 'ws://127.0.0.1:9',
    LAYER_RPC_URL: NOWHERE,
  });
  expect(code).toBe(1);
  for (const wrong of [
    /^✖ keys: PAYLOAD_KEY is no key: variable LISTS must hold 32 bytes/,
    /^✖ database: DATABASE_URL can't be used: nothing listens there/,
    /^! rate limits: RATE_LIMIT_STORE_URL can't be used/,
    /^! e-mail: SMTP_URL can't be used/,
    /^✖ base ledger: the execution authority is \w+, not \w+: fix EXECUTION_AUTHORITY_KEY/,
    /^✖ base ledger: the execution authority has 0 SOL: send it some/,
    /^! base ledger: BASE_WS_URL takes no subscription/,
    /^✖ execution layer: LAYER_RPC_URL does not answer/,
  ]) {
    expect(lines).toContainEqual(expect.stringMatching(wrong));
  }
});

it('tries what not every node of the base ledger offers', async () => {
  const { admin } = world.localnet;
  await admin.setHabits({ hasHistory: false, listsAccounts: false });
  const { code, lines } = await run(['config', 'check']);
  await admin.setHabits({});
  expect(lines).toContainEqual(
    expect.stringMatching(/^! base ledger: its node keeps no history of transactions: .*name another/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/^! base ledger: its node does not list a program's accounts: .*name another/),
  );
  expect(code).toBe(0);
});

it('sends a transfer to itself, and says so where none lands', async () => {
  const { lines } = await run(['config', 'check']);
  expect(lines).toContainEqual(expect.stringMatching(/^✔ base ledger: a transfer of the authority to itself landed/));
  const { admin } = world.localnet;
  await admin.setHabits({ landMs: 600_000, finalMs: 0 });
  const swallowed = await run(['config', 'check']);
  await admin.setHabits({ landMs: 0, finalMs: 0 });
  expect(swallowed.lines).toContainEqual(
    expect.stringMatching(/^✖ base ledger: a transfer of the authority to itself did not land within 30 s: raise/),
  );
  expect(swallowed.code).toBe(1);
});

it('tries each of several nodes, and finds one that is gone or of another ledger', async () => {
  const { BASE_RPC_URL: first = '' } = settings;
  const twice = await run(['config', 'check'], { BASE_RPC_URL: `${first}, ${first}` });
  expect(twice.code).toBe(0);
  expect(twice.lines).toContain("✔ base ledger: node 2 of 2 lists a program's accounts");
  const gone = await run(['config', 'check'], { BASE_RPC_URL: `${first},${NOWHERE}`, BASE_WS_URL: '' });
  expect(gone.lines).toContain('! base ledger: node 2 of 2 does not answer: fix BASE_RPC_URL');
  expect(gone.lines).toContainEqual(expect.stringMatching(/^! base ledger: websocket 2 of 2 in BASE_WS_URL takes no/));
  const other = world.localnet.layerRpcUrl;
  const foreign = await run(['config', 'check'], { BASE_RPC_URL: `${first},${other}/`, BASE_WS_URL: '' });
  expect(foreign.lines).toContainEqual(expect.stringMatching(/node 2 of 2 (is of another ledger|does not answer)/));
});

it('says first what is not set', async () => {
  const { code, lines } = await run([], { BASE_RPC_URL: '' });
  expect(code).toBe(1);
  expect(lines[0]).toMatch(/^✖ BASE_RPC_URL is not set\. Set it: /);
  expect(lines[1]).toContain('docs/reference/settings.md');
});
