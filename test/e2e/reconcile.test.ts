import { fetchSchedule, SchedulePhase } from '@payouts/client';
import { runCommand } from '@payouts/testing/command';
import { Failpoints } from '@payouts/testing/failpoints';
import { rowsOf } from '@payouts/testing/services';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 60;

let world: World;
let employer: Employer;
beforeAll(async () => {
  world = await World.start();
  employer = await world.employer(await variedPayees(RECIPIENTS, 1_000_000n), { executions: 5 });
});

const failpoints = new Failpoints();
const keptIn = (DATABASE_URL: string) => ({ DATABASE_URL, PAYLOAD_KEY: world.payloadKey });
const start = (databaseUrl: string) =>
  world.startCoordinator(
    { ...keptIn(databaseUrl), RECONCILE_INTERVAL_SECONDS: '1', METRICS_PUBLIC: 'true' },
    failpoints,
  );

/** `coordinator -- reconcile` with the settings of this database. */
const reconcile = (databaseUrl: string, ...options: string[]) =>
  runCommand({ ...world.settings, ...keptIn(databaseUrl) }, 'reconcile', ...options);

const executions = () => world.executions(employer);

it('goes on after the database was lost: nobody is paid twice, and the history comes back from the ledger', async () => {
  const lost = await world.createDatabase();
  await start(lost);
  await world.registerAndSettle(employer);
  await world.localnet.admin.advanceClock(HOUR);
  await world.settled(employer, 1n);
  const before = await executions();
  await world.stopCoordinator();
  // The third window is being paid when everything but the ledgers is gone.
  await start(lost);
  const paying = failpoints.hold('claim:after-landing', employer, { window: 2n });
  await world.localnet.admin.advanceClock(HOUR);
  await paying;
  await world.killCoordinator();
  expect((await fetchSchedule(world.ledgers.base, employer.schedule)).data.phase).toBe(SchedulePhase.Open);

  const fresh = await world.createDatabase();
  const unknown = await reconcile(fresh);
  expect(unknown).toMatchObject({ code: 3, printed: expect.stringContaining('open-unregistered  remaining 1') });
  expect(unknown.printed).toContain(`    ${employer.schedule}:2\n      until 20`);
  const { admin } = world.localnet;
  await admin.setHabits({ listsAccounts: false, hasHistory: false });
  const unlisted = await reconcile(fresh);
  expect(unlisted).toMatchObject({ code: 0, printed: expect.stringContaining('does not list a program') });
  expect(unlisted.printed).toContain('Nothing differs.');
  await admin.setHabits({});
  await start(fresh);
  expect(await world.register(employer)).toBe(true);
  await world.settledInFull(employer, 2n);
  await world.checkPaid(3, employer);
  const rebuilt = await until(async () => {
    const runs = await executions();
    return runs.length === 3 && runs;
  }, 'the lost runs to be rebuilt');
  const publicPart = (runs: typeof rebuilt) =>
    runs
      .filter(({ window }) => window !== '2')
      .map(({ window, state, claims, unpaid, paidAmount, attempts }) => ({
        ...{ window, state, claims, unpaid, paidAmount },
        signatures: attempts.filter(({ stage }) => stage !== 'claim').map(({ signatures }) => signatures.at(-1)),
      }));
  // The commit of the layer is not in the base ledger's history: of each stage, the last transaction is the base's.
  expect(publicPart(rebuilt)).toEqual(publicPart(before));
  expect(rebuilt.map((run) => run.rebuilt)).toEqual([false, true, true]);

  const metrics = await until(async () => {
    const text = await world.metrics();
    return text.includes('service_reconciliation_healed_total{kind="run-missing"} 2') && text;
  }, 'the metrics to tell');
  expect(metrics).toMatch(/service_reconciliation_remaining_differences\{kind="run-missing"\} 0/);
  expect(metrics).toMatch(/service_reconciliation_last_timestamp_seconds \d+/);

  const { code, printed } = await reconcile(fresh);
  expect(printed).toBe('Compared: schedules 1, vaults 1, tokens 1.\nNothing differs.\n');
  expect(code).toBe(0);
  await world.stopCoordinator();

  // By hand, without a coordinator: what differs is said first, and fixed when that is asked for.
  await rowsOf(fresh, 'delete from execution_runs where window_number = 1');
  expect(await reconcile(fresh)).toMatchObject({ code: 3, printed: expect.stringContaining(`${employer.schedule}:1`) });
  await rowsOf(fresh, 'delete from reconciled_schedules');
  await rowsOf(fresh, "update execution_runs set state = 'exhausted', finished_at = null where window_number = 2");
  const told = await reconcile(fresh);
  expect(told).toMatchObject({ code: 3, printed: expect.stringContaining('run-missing  remaining 1, healed 0') });
  expect(told.printed).toContain(`    ${employer.schedule}:1`);
  expect(told.printed).toContain('run-not-ended  remaining 1, healed 0');
  for (const line of told.printed.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const fixed = await reconcile(fresh, '--fix', '--json');
  expect(JSON.parse(fixed.printed)).toEqual({
    compared: { schedules: 1, vaults: 1, tokens: 1 },
    isLayerCompared: true,
    isUnregisteredSearched: true,
    differences: [
      { kind: 'run-missing', about: `${employer.schedule}:1`, detail: null, isHealed: true },
      { kind: 'run-not-ended', about: `${employer.schedule}:2`, detail: 'exhausted', isHealed: true },
    ],
  });
  expect(fixed.code).toBe(0);
  await rowsOf(fresh, 'delete from reconciled_schedules');
  await rowsOf(fresh, "update execution_runs set state = 'queued', finished_at = null where window_number = 2");
  const idle = await reconcile(fresh);
  expect(idle.printed).toContain('not-in-engine  remaining 1, healed 0');
  expect(idle.code).toBe(3);

  await start(fresh);
  await world.settled(employer, 2n);
  expect((await executions()).map(({ window, state }) => `${window} ${state}`)).toEqual([
    '2 settled',
    '1 settled',
    '0 settled',
  ]);
  await world.localnet.admin.advanceClock(HOUR);
  await world.settled(employer, 3n);
  await world.checkPaid(4, employer);
});
