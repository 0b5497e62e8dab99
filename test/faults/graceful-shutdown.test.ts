import { once } from 'node:events';
import { readExecutions } from '@payouts/cli';
import { fetchMaybeBatch } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Employer, until, World } from '../support/world.ts';

const RECIPIENTS = 3_000;
const GRACE_MS = 30_000;

let world: World;
let payees: { recipient: Employer['schedule']; amount: bigint }[];
beforeAll(async () => {
  world = await World.start();
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  payees = keys.map(({ address }) => ({ recipient: address, amount: 5n }));
});
afterAll(() => world?.stop());

async function paidCount(employer: Employer): Promise<number> {
  const found = await fetchMaybeBatch(world.ledgers.layer, await world.batch(employer)).catch(() => undefined);
  return found?.exists ? found.data.paidCount : 0;
}

/** Starts the service with this grace, waits for the first claims of a new schedule and asks the service to end. */
async function terminatedAmongClaims(
  graceMs: number,
): Promise<{ employer: Employer; code: number | null; tookMs: number }> {
  const employer = await world.employer(payees, {
    executions: 1,
    firstExecution: BigInt(Math.floor(Date.now() / 1_000) + 5),
    batchTimeout: 600,
  });
  await world.startCoordinator({ SHUTDOWN_GRACE_MS: String(graceMs) });
  await world.register(employer);
  const child = world.coordinatorProcess;
  await until(async () => (await paidCount(employer)) > 0 || undefined, 'the first claims', 90_000, 1);
  const gone = once(child, 'exit');
  const began = Date.now();
  child.kill('SIGTERM');
  const [code] = (await gone) as [number | null];
  return { employer, code, tookMs: Date.now() - began };
}

async function outcomes(employer: Employer, stage: string): Promise<string[]> {
  const [run] = await readExecutions(world.apiUrl, employer.schedule);
  return (run?.attempts ?? []).filter((attempt) => attempt.stage === stage).map(({ outcome }) => outcome ?? 'running');
}

async function expectPaidOnce(employer: Employer): Promise<void> {
  const run = await world.settled(employer, 0n);
  expect(run.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
  expect(new Set(await world.privateBalances(employer))).toEqual(new Set([5n]));
  await world.checkMoneyRules(employer);
}

describe('a service that is asked to end in the middle of the claims', () => {
  it('ends the stage first, leaves the rest to the next start, and exits with 0', async () => {
    const { employer, code, tookMs } = await terminatedAmongClaims(GRACE_MS);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(GRACE_MS);
    expect(await paidCount(employer)).toBe(RECIPIENTS);

    await world.startCoordinator();
    await expectPaidOnce(employer);
    // The next start begins with the first stage, and finds everybody paid.
    expect(await outcomes(employer, 'claim')).toEqual(['succeeded', 'succeeded']);
    expect(await outcomes(employer, 'commit')).toEqual(['succeeded']);
    await world.stopCoordinator();
  }, 180_000);

  it('breaks off at once without a grace time, and the next start goes on', async () => {
    const { employer, code, tookMs } = await terminatedAmongClaims(0);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
    expect(await paidCount(employer)).toBeLessThan(RECIPIENTS);

    await world.startCoordinator();
    await expectPaidOnce(employer);
    expect(await outcomes(employer, 'claim')).toEqual(['interrupted', 'succeeded']);
    await world.stopCoordinator();
  }, 180_000);
});
