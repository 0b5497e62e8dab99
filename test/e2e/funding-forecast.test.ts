import { json } from 'node:stream/consumers';
import { deposit, sendAs } from '@payouts/cli';
import { fetchVault, getVaultEncoder, systemTime } from '@payouts/client';
import { addWebhook } from '@payouts/employer';
import { serveLoopback } from '@payouts/testing/loopback';
import { metricIn } from '@payouts/testing/metrics';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const MONTH = { unit: 'months-on-day', every: 1, day: 2 } as const;
const PROGRAM_RENT = 10_000_000_000n;

let world: World;
let employer: Employer;
let total: bigint;
/** The second day of the month after next, 09:00 UTC: unix seconds. */
let first: bigint;

const payees = (amount: bigint) => somePayees(3, amount);

beforeAll(async () => {
  world = await World.start();
  const now = new Date();
  first = BigInt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 2, 9) / 1_000);
  employer = await world.employer(await payees(73_310_000n), { executions: 2, calendar: MONTH, firstExecution: first });
  total = employer.list.total;
});

type Funding = {
  readonly reserved: string;
  readonly available: string;
  readonly windowsCovered: number;
  readonly shortfall: { readonly amount: string; readonly dueAt: number } | null;
  readonly sentence: string;
};

/** What the API foretells of a schedule once it is as the test expects. */
const forecast = (schedule: Address, isExpected: (funding: Funding) => boolean) =>
  until(async () => {
    const response = await fetch(`${world.apiUrl}/api/schedules/${schedule}`);
    const { funding } = (await response.json()) as { funding: Funding | null };
    return funding !== null && isExpected(funding) && funding;
  }, 'the forecast');

/** What lasts of a schedule. */
async function conditionsOf(schedule: Address): Promise<string[]> {
  const response = await fetch(`${world.apiUrl}/api/schedules/${schedule}`);
  return ((await response.json()) as { conditions: { kind: string }[] }).conditions.map(({ kind }) => kind);
}

const metric = async (name: string) => metricIn(await world.metrics(), name);

const monthAfter = (months: number) => {
  const date = new Date(Number(first) * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 2, 9);
};

it('foretells how many windows a vault covers, and what is missing when, as the ledger has it', async () => {
  await deposit(world.ledgers, employer.signer, employer.mint, total + total / 2n);
  await world.startCoordinator({ METRICS_PUBLIC: 'true' });
  await world.register(employer);
  const funding = await forecast(employer.schedule, () => true);
  expect(funding).toMatchObject({
    reserved: String(total * 2n),
    available: String(total + total / 2n),
    windowsCovered: 3,
    shortfall: { amount: String(total - total / 2n), dueAt: monthAfter(3), isPromised: false },
  });
  const mint = employer.mint;
  expect(funding.sentence).toMatch(
    /^covers 3 more windows, 2 of them promised; one more on 2 [A-Z][a-z]+( \d{4})? takes another 109\.965 /,
  );
  expect(funding.sentence).toContain(`${mint.slice(0, 4)}…${mint.slice(-4)}`);
  await until(async () => (await metric('service_funding_windows_covered')) === 3, 'the metric');
  expect(await metric('service_funding_low_schedules')).toBe(0);
  expect(await metric('service_authority_openings_left')).toBe(322_549);
});

it('foretells anew within seconds when money comes into a vault, which is read once a minute otherwise', async () => {
  const paddedToBlock = await world.employer(await payees(5_000_000n), { calendar: MONTH, firstExecution: first });
  await world.register(paddedToBlock);
  const each = paddedToBlock.list.total;
  expect(await forecast(paddedToBlock.schedule, () => true)).toMatchObject({
    windowsCovered: 2,
    shortfall: { amount: String(each), dueAt: monthAfter(2) },
  });
  await deposit(world.ledgers, paddedToBlock.signer, paddedToBlock.mint, each + 1n);
  // Within the half minute that `until` waits.
  expect(await forecast(paddedToBlock.schedule, ({ windowsCovered }) => windowsCovered === 3)).toMatchObject({
    available: String(each + 1n),
    shortfall: { amount: String(each - 1n), dueAt: monthAfter(3) },
  });
});

it('shares what is available among the schedules of one vault, in the order in which they are due', async () => {
  // Due a day before the other one, each month.
  const other = await world.promise(employer, await payees(20_000_000n), {
    id: 1n,
    executions: 1,
    calendar: { ...MONTH, day: 1 },
    firstExecution: first - 86_400n,
  });
  await world.register(other);
  // 329.895 are available: 60 in the second month, 60 in the third, and what is left is not enough for 219.93.
  const one = await forecast(employer.schedule, ({ shortfall }) => shortfall?.dueAt === monthAfter(2));
  expect(one).toMatchObject({ windowsCovered: 2, shortfall: { amount: '10035000' } });
  // The smaller schedule still goes on for some months.
  const second = await forecast(other.schedule, () => true);
  expect(second).toMatchObject({
    reserved: String(other.list.total),
    windowsCovered: 6,
    shortfall: { amount: '30105000', dueAt: monthAfter(6) - 86_400_000 },
  });
});

/** What a webhook is told. */
type Told = { readonly type: string; readonly data: { readonly schedulePda: string } };

it('holds a run that is not covered or can not be paid for, says what is missing, and goes on once it is there', async () => {
  /** By their ids: a coordinator that is killed as it is answered sends its message again. */
  const told = new Map<unknown, Told>();
  const receiver = await serveLoopback(async (request, response) => {
    told.set(request.headers['webhook-id'], (await json(request)) as Told);
    response.writeHead(204).end();
  });
  const toldOf = (type: string) =>
    [...told.values()]
      .filter((one) => one.type === type && one.data.schedulePda === due.schedule)
      .map(({ data }) => data);
  const later = await world.employer(await payees(1_000_000n), { calendar: MONTH, firstExecution: first });
  await world.register(later);
  const due = await world.promise(later, await payees(40_500_000n), { id: 1n, executions: 2 });
  const { base } = world.ledgers;
  const { admin } = world.localnet;
  const vault = await fetchVault(base, due.vault);
  const put = (reserved: bigint) =>
    admin.setAccount({
      address: due.vault,
      lamports: PROGRAM_RENT,
      owner: vault.programAddress,
      data: new Uint8Array(getVaultEncoder().encode({ ...vault.data, reserved })),
    });
  await put(1_000_000n);
  await world.stopCoordinator();
  const settings = {
    METRICS_PUBLIC: 'true',
    HOLD_RECHECK_MS: '500',
    WINDOW_LATE_SECONDS: '1',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  await world.startCoordinator(settings);
  const api = { apiUrl: world.apiUrl, signer: later.signer, time: systemTime };
  await addWebhook(sendAs(api), later.schedule, {
    url: receiver.url,
    scope: 'vault',
    types: ['funding.low', 'window.late'],
  });
  await world.register(due);
  const held = async (errorCode: string) => (await world.runIn(due, 'held', { errorCode })).errorDetail;
  expect(await held('funding-short')).toMatch(/^The vault covers no more windows; short of 120\.50 \S+ now\.$/);
  await until(async () => (await metric('service_funding_short_runs')) === 1, 'the metric of runs that are short');
  await until(
    async () => ((await metric('service_funding_low_schedules')) ?? 0) > 0,
    'the metric of what was promised',
  );

  const about = { schedulePda: due.schedule, window: '0' };
  await until(async () => toldOf('window.late').length > 0 && toldOf('funding.low').length > 0, 'both to be told');
  expect(toldOf('funding.low')).toEqual([
    { ...about, windowsCovered: 0, missing: '120500000', dueAt: expect.any(Number) },
  ]);
  // The run is looked at twice a second, so it may be running at that moment.
  expect(toldOf('window.late')).toEqual([expect.objectContaining({ ...about, dueAt: expect.any(Number) })]);
  await world.killCoordinator();
  await world.startCoordinator(settings);
  await until(
    async () => ((await metric('service_funding_low_schedules')) ?? 0) > 0,
    'the forecast of another process',
  );

  const lamports = (await base.getBalance(world.authority.address).send()).value;
  await admin.setAccount({ address: world.authority.address, lamports: 5_000_000n });
  await put(vault.data.reserved);
  expect(await held('authority-balance-low')).toMatch(
    /^The execution authority lacks 0\.\d+ SOL to open this window; its 0\.005 SOL last for about 0 openings/,
  );
  await admin.setAccount({ address: world.authority.address, lamports });
  await world.settled(due, 0n);
  await until(
    async () => !(await conditionsOf(due.schedule)).includes('window.late'),
    'the window not to be late any more',
  );
  expect(toldOf('window.late')).toHaveLength(1);
  await world.checkMoneyRules(later, due);
});
