import { join } from 'node:path';
import { printedBy, runCommand } from '@payouts/testing/command';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  employer = await world.begin(await variedPayees(3, 1_000_000n), { executions: 3 });
  await world.registerAndSettle(employer);
});

/** What an operator's command prints beside the running service, whose embedded database it is; it must succeed. */
const operate = (...words: readonly string[]) => printedBy(world.settings, ...words);

it('every operator’s command works while the service runs on its embedded database', async () => {
  const run = `${employer.schedule}:0`;
  expect(await operate('runs', 'list', '--state', 'settled')).toContain(run);
  expect(await operate('runs', 'show', run)).toContain('settled');
  expect(await operate('reconcile')).toContain('Nothing differs.');
  expect(await operate('reconcile', '--fix')).toContain('Nothing differs.');
  expect(await operate('keys', 'show')).toContain('(present)');
  await operate('keys', 'rotate');
  expect(await operate('migrate')).toContain('Nothing to do.');
  expect(await operate('retention', '--older-than', '1')).toContain('runs 0');
  await operate('schedules', 'totals', employer.schedule);
  expect(await operate('liability-proof', '--balance', employer.balances[0] as string)).toContain('"sequence"');
  await operate('backup', join(world.folder, 'payouts.backup'));

  // Nothing of that keeps the service from its work, nor it them.
  await world.localnet.admin.advanceClock(HOUR);
  const [settled] = await Promise.all([
    world.settledInFull(employer, 1n),
    operate('runs', 'list'),
    operate('keys', 'show'),
  ]);
  expect(settled.claims.paid).toBe(3);
  const { code, printed } = await runCommand(
    world.settings,
    'schedules',
    'delete',
    employer.schedule,
    '--yes',
    '--json',
  );
  expect({ code, printed }).toMatchObject({ code: 0 });
  await world.checkPaid(2, employer);
});
