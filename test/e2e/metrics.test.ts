import { spawnSync } from 'node:child_process';
import { Failpoints, type Passing } from '@payouts/testing/failpoints';
import { metricIn, readMetrics } from '@payouts/testing/metrics';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

/** So many that their claims take many transactions. */
const RECIPIENTS = 2_500;
/** How long a claim is held before it is sent: the progress is recorded every half second. */
const HELD_MS = 600;
const TOKEN = 'operators-token-of-the-test-0123';

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.shared();
  employer = await world.employer(await variedPayees(RECIPIENTS, 3_016_549_217n), { executions: 2, batchTimeout: 600 });
});

const scrape = () => readMetrics(world.apiUrl, TOKEN);

/** A series' value, as it is written; NaN: there is none. */
function value(text: string, series: string): number {
  const [, name = '', labels] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
  return metricIn(text, name, ...(labels?.split(',') ?? []));
}

it('counts a window once, with a coordinator killed in the middle of the claims, and every recipient once', async () => {
  const failpoints = new Failpoints();
  await world.startCoordinator({ METRICS_AUTH_TOKEN: TOKEN, CLAIMS_IN_FLIGHT: '1' }, failpoints);
  expect((await fetch(`${world.apiUrl}/api/metrics`)).status).toBe(403);
  const idle = await scrape();
  expect(value(idle, 'service_execution_runs_created_total')).toBe(0);
  expect(value(idle, 'service_claim_results_total{result="paid"}')).toBe(0);

  await world.register(employer);
  const paid = 'service_claim_results_total{result="paid"}';
  // One claim after the other is held, until those before it are counted; it dies with one that is not sent.
  let held: Passing | undefined;
  const killedAt = await until(
    async () => {
      const next = failpoints.hold('claim:before-send', employer);
      held?.goOn();
      held = await next;
      const text = await scrape();
      return value(text, paid) > 0 && text;
    },
    'claims to be counted',
    60_000,
    HELD_MS,
  );
  await world.killCoordinator();
  const before = value(killedAt, paid);
  expect(value(killedAt, 'service_execution_runs_created_total')).toBe(1);
  expect(value(killedAt, 'service_schedules_detected_due_total')).toBe(1);
  expect(value(killedAt, 'service_registrations_total{outcome="created"}')).toBe(1);

  await world.startCoordinator({ METRICS_AUTH_TOKEN: TOKEN });
  await world.settledInFull(employer, 0n);
  await world.checkPaid(1, employer);
  const text = await until(async () => {
    const now = await scrape();
    const isCounted = value(now, 'service_execution_stage_total{stage="commit",outcome="succeeded"}') === 1;
    // A scrape that waited too long for the database shows it down.
    return isCounted && value(now, 'service_database_up') === 1 && now;
  }, 'the last stage to be counted');
  // What was recorded between the last scrape and the end of the first process is in neither.
  expect(before).toBeLessThan(RECIPIENTS);
  const after = value(text, paid);
  expect(after).toBeGreaterThan(0);
  expect(before + after).toBeLessThanOrEqual(RECIPIENTS);
  expect(value(text, 'service_execution_stage_total{stage="claim",outcome="succeeded"}')).toBe(1);
  expect(value(text, 'service_execution_stage_total{stage="claim",outcome="interrupted"}')).toBe(1);
  expect(value(text, 'service_execution_runs_created_total')).toBe(0);
  expect(value(text, 'service_execution_run_rests_total{state="settled"}')).toBe(1);
  expect(value(text, 'service_claim_results_total{result="refused"}')).toBe(0);
  expect(value(text, 'service_liability_recordings_total{outcome="recorded"}')).toBe(1);
  for (const series of [
    'service_scheduler_polls_total{outcome="ok"}',
    'service_withdrawal_polls_total{outcome="ok"}',
    'service_ledger_calls_total{ledger="base",method="getMultipleAccounts",outcome="ok"}',
    'service_ledger_calls_total{ledger="base",method="sendTransaction",outcome="ok"}',
    'service_ledger_calls_total{ledger="layer",method="sendTransaction",outcome="ok"}',
    'service_authority_balance_lamports',
    'service_nodejs_eventloop_lag_p99_seconds',
  ]) {
    expect(value(text, series), series).toBeGreaterThan(0);
  }
  expect(value(text, 'service_ledger_subscription_connected')).toBe(1);
  expect(value(text, 'service_schedules_registered{status="active"}')).toBe(1);

  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  expect(stdout + stderr).toBe('');
  expect(status).toBe(0);
});
