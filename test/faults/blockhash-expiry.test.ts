import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Point } from '@payouts/coordinator/testing';
import { Failpoints } from '@payouts/testing/failpoints';
import { FaultProxies } from '@payouts/testing/faults/proxies';
import { rowsOf } from '@payouts/testing/services';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

/** Blocks after which a blockhash is good for nothing, and some more. */
const BLOCKS = 170;

type Sent = { readonly purpose: string; readonly outcome: string; readonly signature: string };

let world: World;
let proxies: FaultProxies;
let databaseUrl: string;

beforeAll(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.stopCoordinator();
  await proxies?.stop();
});

/** A coordinator behind proxies, and a schedule whose one window is due. */
async function begin(seed: number, failpoints?: Failpoints): Promise<Employer> {
  proxies = await FaultProxies.start(world, seed);
  databaseUrl = await world.createDatabase();
  const key = join(world.folder, `payload-${seed}.key`);
  writeFileSync(key, randomBytes(32).toString('hex'), { mode: 0o600 });
  await world.startCoordinator({ ...proxies.settings, DATABASE_URL: databaseUrl, PAYLOAD_KEY: key }, failpoints);
  return world.employer(await somePayees(20, 3n), { executions: 1, batchTimeout: 600 });
}

/** What the coordinator keeps of its transactions for a purpose, in the order of their signing. */
const sentFor = async (purpose: string): Promise<Sent[]> =>
  (await rowsOf(databaseUrl, 'select purpose, outcome, signature from ledger_transactions order by id'))
    .map((row) => row as Sent)
    .filter((row) => row.purpose === purpose);

async function landedOnBase(): Promise<Set<string>> {
  const signatures = new Set<string>();
  for await (const { signature } of world.localnet.admin.listTransactions()) signatures.add(signature);
  return signatures;
}

async function expectPaidOnce(employer: Employer): Promise<void> {
  await world.settledInFull(employer, 0n);
  await world.checkPaid(1, employer);
}

describe('a transaction that the base ledger never gets', () => {
  it.each<[string, number, Point]>([
    ['delegate', 1, 'delegate:before-send'],
    ['settle', 2, 'commit:before-send'],
  ])(
    'is sent again as it is, and signed anew once when its blockhash has expired: %s',
    async (purpose, seed, point) => {
      const failpoints = new Failpoints();
      const employer = await begin(seed, failpoints);
      const { base } = proxies;
      const standing = failpoints.hold(point, employer);
      await world.register(employer);
      const held = await standing;
      base.set({ faults: [{ kind: 'swallow' }] });
      held.goOn();
      await until(async () => base.count('swallow') >= 3, 'it to be sent three times');
      expect(await sentFor(purpose)).toMatchObject([{ outcome: 'sent' }]);

      await world.localnet.admin.advanceBlocks(BLOCKS);
      await until(
        async () => (await sentFor(purpose)).some(({ outcome }) => outcome === 'expired'),
        'the first one to expire',
      );
      base.set();
      await expectPaidOnce(employer);

      const [first, second, ...more] = await sentFor(purpose);
      expect([first?.outcome, second?.outcome, more]).toEqual(['expired', 'landed', []]);
      const landed = await landedOnBase();
      expect([landed.has(`${first?.signature}`), landed.has(`${second?.signature}`)]).toEqual([false, true]);
    },
  );
});

it('signs nothing anew when the answer to a send is lost and the landed transaction is not shown for a while', async () => {
  const employer = await begin(3);
  proxies.base.set(
    { faults: [{ kind: 'drop-after' }], methods: ['sendTransaction'] },
    { faults: [{ kind: 'stale', ms: 5_000 }], methods: ['getSignatureStatuses'] },
  );
  await world.register(employer);
  await expectPaidOnce(employer);
  for (const purpose of ['delegate', 'settle']) {
    expect(await sentFor(purpose)).toMatchObject([{ outcome: 'landed' }]);
  }
  // Each was sent again after two and after four seconds, which the ledger took for what it was.
  expect(proxies.base.count('drop-after')).toBeGreaterThanOrEqual(4);
  expect(proxies.base.count('stale')).toBeGreaterThan(4);
});
