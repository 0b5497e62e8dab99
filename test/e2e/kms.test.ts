import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTransit, type Transit } from '@payouts/testing/services';
import { somePayees } from '@payouts/testing/wallets';
import { HOUR, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 300;
const WINDOWS = 2;
const SEED_BYTES = 32;

let world: World;
let transit: Transit;
beforeAll(async () => {
  [world, transit] = await Promise.all([World.start(), startTransit()]);
  const pair = JSON.parse(readFileSync(join(world.folder, 'keys', 'authority.json'), 'utf8')) as number[];
  transit.importSigningKey('authority', Uint8Array.from(pair.slice(0, SEED_BYTES)));
  transit.createEncryptionKey('lists');
});

const callsOf = (action: string) =>
  [...transit.calls].reduce((sum, [path, calls]) => sum + (path.includes(`/${action}/`) ? calls : 0), 0);

it('pays windows with keys that stay in a key service, and goes on by itself after that was away', async () => {
  await world.startCoordinator({
    EXECUTION_AUTHORITY_KEY: 'vault:authority',
    PAYLOAD_KEY: 'vault:lists',
    VAULT_ADDR: transit.url,
    VAULT_TOKEN: transit.token,
  });
  const payees = await somePayees(RECIPIENTS, 11n);
  const employer = await world.employer(payees, { executions: WINDOWS, batchTimeout: 600 });
  await world.registerAndSettle(employer);
  expect(callsOf('encrypt')).toBeGreaterThan(0);
  const signed = callsOf('sign');
  expect(signed).toBeGreaterThanOrEqual(3);

  transit.state = 'sealed';
  await world.localnet.admin.advanceClock(HOUR);
  await until(async () => callsOf('sign') > signed + 1, 'signatures asked for in vain');
  await until(async () => {
    const runs = await world.executions(employer);
    return runs.some(({ errorCode }) => errorCode === 'key-service-unavailable');
  }, 'the run to say so');
  transit.state = 'ready';
  const run = await world.settledInFull(employer, 1n, 90_000);
  expect(run.attempts.map(({ errorCode }) => errorCode)).toContain('key-service-unavailable');
  await world.checkPaid(WINDOWS, employer);
  // A list's key is asked for once, not for each window.
  expect(callsOf('decrypt')).toBeLessThanOrEqual(3);
});
