import { runCommand } from '@payouts/testing/command';
import { rounds } from '@payouts/testing/rounds';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

let world: World;
let employer: Employer;
let settings: Record<string, string>;

beforeAll(async () => {
  world = await World.start();
  settings = { DATABASE_URL: await world.createDatabase(), PAYLOAD_KEY: world.payloadKey, STAGE_RETRY_MS: '100' };
  employer = await world.employer(await somePayees(3, 9_310_007n), { executions: 3, batchTimeout: 600 });
});

/** One of the operator's commands, beside the running coordinator; its lines as one. */
async function runs(...words: readonly string[]) {
  const { code, printed } = await runCommand({ ...world.settings, ...settings }, 'runs', ...words);
  return { code, text: printed.replaceAll(/\s+/g, ' ') };
}

const nameOf = (window: number) => `${employer.schedule}:${window}`;

it('a run whose layer is gone waits at rest and goes on by itself when it is back', async () => {
  await world.localnet.killLayer();
  await world.startCoordinator({ ...settings, RUN_CONCURRENCY: '1' });
  await world.register(employer);
  const waiting = await world.runIn(employer, 'waiting');
  expect(waiting).toMatchObject({ errorCode: 'layer-unavailable', finishedAt: null });
  await world.localnet.restartLayer();
  await world.settled(employer, 0n, 90_000);
});

it('an exhausted run is listed, explained, not given up by accident, given up on purpose, and resumed', async () => {
  await world.stopCoordinator();
  await world.startCoordinator({ ...settings, STAGE_PATIENCE_MS: '1', METRICS_PUBLIC: 'true' });
  await world.localnet.killLayer();
  await world.localnet.admin.advanceClock(HOUR);
  await world.runIn(employer, 'exhausted', { window: 1 });

  const listed = await runs('list', '--state', 'exhausted');
  expect(listed).toMatchObject({ code: 0, text: expect.stringContaining(nameOf(1)) });
  expect(listed.text).toContain('layer-unavailable');
  const shown = await runs('show', nameOf(1));
  expect(shown.code).toBe(0);
  for (const part of ['The execution layer does not answer.', 'Check LAYER_RPC_URL', 'covers', 'SOL last for about']) {
    expect(shown.text).toContain(part);
  }

  // The layer is asked before a window is opened, so there is no money in it.
  const reason = 'the validator is being moved to another house';
  const abandoned = await runs('abandon', nameOf(1), '--reason', reason);
  expect(abandoned).toMatchObject({ code: 0, text: expect.stringContaining('its money stays reserved') });
  await world.runIn(employer, 'abandoned', { window: 1 });
  expect((await runs('show', nameOf(1))).text).toContain(reason);

  await world.localnet.restartLayer();
  // Nothing is tried for it, however often it is looked at with the ledgers there again.
  await rounds(world, 'scheduler', 5);
  const known = await world.executions(employer);
  expect(known[0]).toMatchObject({ window: '1', state: 'abandoned' });
  expect(JSON.stringify(known)).not.toContain('another house');

  expect(await runs('resume', '--state', 'abandoned', '--schedule', employer.schedule)).toMatchObject({ code: 0 });
  // A ledger that does not answer for a moment ends the patience of this service again.
  await until(
    async () => {
      const run = (await world.executions(employer)).find(({ window }) => window === '1');
      if (run?.state === 'exhausted') await runs('resume', nameOf(1));
      return run?.state === 'settled';
    },
    'the run to be settled',
    90_000,
  );
  await world.checkPaid(2, employer);
});
