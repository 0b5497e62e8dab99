import { readExecutions, type WindowRun } from '@payouts/cli';
import { runCommand } from '@payouts/testing/command';
import { type SharedPostgres, sharedPostgres } from '@payouts/testing/postgres';
import { rounds } from '@payouts/testing/rounds';
import { type Employer, until, World } from '@payouts/testing/world';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 3;
const AMOUNT = 9_310_007n;
const WINDOW_SECONDS = 3_600;

let world: World;
let postgres: SharedPostgres;
let employer: Employer;
let settings: Record<string, string>;

beforeAll(async () => {
  [world, postgres] = await Promise.all([World.start(), sharedPostgres()]);
  settings = { DATABASE_URL: await postgres.createDatabase(), PAYLOAD_KEY: world.payloadKey, STAGE_RETRY_MS: '100' };
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  employer = await world.employer(
    keys.map(({ address }) => ({ recipient: address, amount: AMOUNT })),
    { executions: 3, batchTimeout: 600 },
  );
});
afterAll(async () => {
  await world?.stop();
  await postgres?.remove();
});

/** One of the operator's commands, beside the running coordinator; its lines as one. */
async function runs(...words: readonly string[]) {
  const { code, printed } = await runCommand({ ...world.settings, ...settings }, 'runs', ...words);
  return { code, text: printed.replaceAll(/\s+/g, ' ') };
}

const runOf = async (window: number): Promise<WindowRun | undefined> =>
  (await readExecutions(world.apiUrl, employer.schedule)).find((run) => run.window === String(window));
const inState = (window: number, state: string, timeoutMs = 60_000) =>
  until(
    async () => {
      const run = await runOf(window);
      return run?.state === state ? run : undefined;
    },
    `window ${window} to be ${state}`,
    timeoutMs,
  );
const nameOf = (window: number) => `${employer.schedule}:${window}`;

it('a run whose layer is gone waits at rest and goes on by itself when it is back', async () => {
  await world.localnet.killLayer();
  await world.startCoordinator({ ...settings, RUN_CONCURRENCY: '1' });
  await world.register(employer);
  const waiting = await inState(0, 'waiting', 90_000);
  expect(waiting).toMatchObject({ errorCode: 'layer-unavailable', finishedAt: null });
  await world.localnet.restartLayer();
  await world.settled(employer, 0n, 90_000);
}, 300_000);

it('an exhausted run is listed, explained, not given up by accident, given up on purpose, and resumed', async () => {
  await world.stopCoordinator();
  await world.startCoordinator({ ...settings, STAGE_PATIENCE_MS: '1', METRICS_PUBLIC: 'true' });
  await world.localnet.killLayer();
  await world.localnet.admin.advanceClock(WINDOW_SECONDS);
  await inState(1, 'exhausted', 90_000);

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
  await inState(1, 'abandoned');
  expect((await runs('show', nameOf(1))).text).toContain(reason);

  await world.localnet.restartLayer();
  // Nothing is tried for it, however often it is looked at with the ledgers there again.
  await rounds(world, 'scheduler', 5);
  expect((await runOf(1))?.state).toBe('abandoned');
  expect(JSON.stringify(await readExecutions(world.apiUrl, employer.schedule))).not.toContain('another house');

  expect(await runs('resume', '--state', 'abandoned', '--schedule', employer.schedule)).toMatchObject({ code: 0 });
  await world.settled(employer, 1n, 90_000);
  expect(new Set(await world.privateBalances(employer))).toEqual(new Set([AMOUNT * 2n]));
  await world.checkMoneyRules(employer);
}, 300_000);
