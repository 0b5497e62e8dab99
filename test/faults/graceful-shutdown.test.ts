import { once } from 'node:events';
import { fetchMaybeBatch, type Payee } from '@payouts/client';
import { Failpoints, untilStopping } from '@payouts/testing/failpoints';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { beforeAll, describe, expect, it } from 'vitest';

/** Many more than are claimed at a time. */
const RECIPIENTS = 2_500;
const GRACE_MS = 120_000;

let world: World;
let payees: Payee[];
beforeAll(async () => {
  world = await World.start();
  payees = await somePayees(RECIPIENTS, 5n);
});

async function paidCount(employer: Employer): Promise<number> {
  const found = await fetchMaybeBatch(world.ledgers.layer, await world.batch(employer)).catch(() => undefined);
  return found?.exists ? found.data.paidCount : 0;
}

/** Starts the service with this grace, has one of the claims of a new schedule wait, and asks the service to end. */
async function terminatedAmongClaims(graceMs: number) {
  const employer = await world.employer(payees, { executions: 1, batchTimeout: 3_600 });
  const failpoints = new Failpoints();
  await world.startCoordinator({ SHUTDOWN_GRACE_MS: String(graceMs) }, failpoints);
  const standing = failpoints.hold('claim:before-send', employer, { nth: 2 });
  await world.register(employer);
  const held = await standing;
  await until(async () => (await paidCount(employer)) > 0, 'the claims beside it');
  const gone = once(held.process, 'exit').then(([code]) => code as number | null);
  held.process.kill('SIGTERM');
  return { employer, held, gone };
}

async function outcomes(employer: Employer, stage: string): Promise<string[]> {
  const [run] = await world.executions(employer);
  return (run?.attempts ?? []).filter((attempt) => attempt.stage === stage).map(({ outcome }) => outcome ?? 'running');
}

async function expectPaidOnce(employer: Employer): Promise<void> {
  await world.settledInFull(employer, 0n);
  await world.checkPaid(1, employer);
}

describe('a service that is asked to end in the middle of the claims', () => {
  it('ends the stage first, leaves the rest to the next start, and exits with 0', async () => {
    const { employer, held, gone } = await terminatedAmongClaims(GRACE_MS);
    await untilStopping(world.apiUrl);
    expect(await paidCount(employer)).toBeLessThan(RECIPIENTS);
    held.goOn();
    expect(await gone).toBe(0);
    expect(await paidCount(employer)).toBe(RECIPIENTS);

    await world.startCoordinator();
    await expectPaidOnce(employer);
    // The next start begins with the first stage, and finds everybody paid.
    expect(await outcomes(employer, 'claim')).toEqual(['succeeded', 'succeeded']);
    expect(await outcomes(employer, 'commit')).toEqual(['succeeded']);
    await world.stopCoordinator();
  });

  it('breaks off at once without a grace time, and the next start goes on', async () => {
    // The claim that waits never goes on.
    const { employer, gone } = await terminatedAmongClaims(0);
    expect(await gone).toBe(0);
    expect(await paidCount(employer)).toBeLessThan(RECIPIENTS);

    await world.startCoordinator();
    await expectPaidOnce(employer);
    expect(await outcomes(employer, 'claim')).toEqual(['interrupted', 'succeeded']);
    await world.stopCoordinator();
  });
});
