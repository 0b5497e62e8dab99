import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchSchedule, SchedulePhase } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/services';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FaultProxies } from '../support/faults/proxies.ts';
import { type Employer, until, World } from '../support/world.ts';

const RECIPIENTS = 20;
const AMOUNT = 3n;
/** Blocks after which a blockhash is good for nothing, and some more. */
const BLOCKS = 170;

type Sent = { readonly purpose: string; readonly outcome: string; readonly signature: string };

let world: World;
let postgres: Postgres;
let proxies: FaultProxies;
let databaseUrl: string;

beforeAll(async () => {
  [world, postgres] = await Promise.all([World.start(), startPostgres()]);
});
afterEach(async () => {
  await world.stopCoordinator();
  await proxies?.stop();
});
afterAll(async () => {
  await world?.stop();
  await postgres?.remove();
});

/** A coordinator behind proxies, and a schedule whose one window is due. */
async function begin(seed: number): Promise<Employer> {
  proxies = await FaultProxies.start(world, seed);
  databaseUrl = await postgres.createDatabase();
  const key = join(world.folder, `payload-${seed}.key`);
  writeFileSync(key, randomBytes(32).toString('hex'));
  await world.startCoordinator({ ...proxies.settings, DATABASE_URL: databaseUrl, PAYLOAD_KEY: key });
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  const payees = keys.map(({ address }) => ({ recipient: address, amount: AMOUNT }));
  return world.employer(payees, { executions: 1, batchTimeout: 600 });
}

/** What the coordinator keeps of its transactions for a purpose, in the order of their signing. */
const sentFor = async (purpose: string): Promise<Sent[]> =>
  (await postgres.rows(databaseUrl, 'select purpose, outcome, signature from ledger_transactions order by id'))
    .map((row) => row as Sent)
    .filter((row) => row.purpose === purpose);

async function landedOnBase(): Promise<Set<string>> {
  const signatures = new Set<string>();
  for await (const { signature } of world.localnet.admin.listTransactions()) signatures.add(signature);
  return signatures;
}

async function expectPaidOnce(employer: Employer): Promise<void> {
  const run = await world.settled(employer, 0n);
  expect(run.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
  expect(new Set(await world.privateBalances(employer))).toEqual(new Set([AMOUNT]));
  expect((await fetchSchedule(world.ledgers.base, employer.schedule)).data).toMatchObject({
    window: 1n,
    paidTotal: AMOUNT * BigInt(RECIPIENTS),
  });
  await world.checkMoneyRules(employer);
}

const isOpen = async ({ schedule }: Employer) =>
  (await fetchSchedule(world.ledgers.base, schedule)).data.phase === SchedulePhase.Open || undefined;

describe('a transaction that the base ledger never gets', () => {
  it.each<[string, number, (employer: Employer) => Promise<unknown>]>([
    ['delegate', 1, async () => {}],
    ['settle', 2, (employer) => until(() => isOpen(employer), 'the window to open', 20_000, 5)],
  ])(
    'is sent again as it is, and signed anew once when its blockhash has expired: %s',
    async (purpose, seed, moment) => {
      const employer = await begin(seed);
      const { base } = proxies;
      const swallow = { faults: [{ kind: 'swallow' }] } as const;
      if (purpose === 'delegate') base.set(swallow);
      await world.register(employer);
      await moment(employer);
      base.set(swallow);
      await until(async () => (base.count('swallow') >= 3 ? true : undefined), 'it to be sent three times', 20_000);
      expect(await sentFor(purpose)).toMatchObject([{ outcome: 'sent' }]);

      await world.localnet.admin.advanceBlocks(BLOCKS);
      await until(
        async () => (await sentFor(purpose)).some(({ outcome }) => outcome === 'expired') || undefined,
        'the first one to expire',
      );
      base.set();
      await expectPaidOnce(employer);

      const [first, second, ...more] = await sentFor(purpose);
      expect([first?.outcome, second?.outcome, more]).toEqual(['expired', 'landed', []]);
      const landed = await landedOnBase();
      expect([landed.has(`${first?.signature}`), landed.has(`${second?.signature}`)]).toEqual([false, true]);
    },
    90_000,
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
}, 90_000);
