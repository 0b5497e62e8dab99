import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/services';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Child, startChild } from './support/child.ts';

const LEASE_SECONDS = 3;
const LEASE_MS = LEASE_SECONDS * 1_000;
/** What a takeover may take beyond the lease. */
const SLACK_MS = 5_000;
const LOST = 'this process was taken for dead, and its runs were taken over; it begins anew';
const TAKEN_OVER = 'the runs of a dead process were taken over';

let postgres: Postgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres(systemTime);
});
afterAll(() => postgres.remove());
beforeEach(async () => {
  databaseUrl = await postgres.createDatabase();
});

type Message = Readonly<Record<string, unknown>>;
const said = (wanted: Message) => (message: unknown) =>
  Object.entries(wanted).every(([key, value]) => (message as Message)[key] === value);
const ready = said({ ready: true });

async function service(instanceName: string, mode = ''): Promise<Child> {
  const child = startChild('service.ts', [mode], {
    DATABASE_URL: databaseUrl,
    INSTANCE_NAME: instanceName,
    LEASE_SECONDS: String(LEASE_SECONDS),
  });
  expect(await child.said((message) => ready(message) || 'failed' in (message as Message))).toEqual({ ready: true });
  return child;
}

const stagesOf = (child: Child, window: string) =>
  child.messages.filter(said({ window })).flatMap((message) => (message as { stage?: string }).stage ?? []);
const workflows = () =>
  postgres.rows(
    databaseUrl,
    'select workflow_uuid as id, status, recovery_attempts as taken from dbos.workflow_status order by 1',
  );
const done = (window: string) => ({ id: `schedule:${window}`, status: 'SUCCESS' });

async function until(what: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await what())) {
    if (performance.now() > deadline) throw new Error('waited in vain');
    await sleep(20);
  }
}

/** Waits until a process has been there for long enough to judge others. */
const settledIn = () => sleep(LEASE_MS + 1_500);

it('the runs of a process that was killed go on in another within lease + 5 s, and only once', async () => {
  const dead = await service('dead', 'slow');
  const others = await Promise.all([service('one'), service('two')]);
  await settledIn();
  // The slow one has all places taken that it has, the others pass what they get.
  dead.process.send('7');
  await until(() => [dead, ...others].some((child) => stagesOf(child, '7').length > 0), 5_000);
  for (let window = 8; !dead.messages.some(said({ stage: 'claim' })); window++) {
    dead.process.send(String(window));
    await sleep(300);
  }
  const [{ window }] = dead.messages.filter(said({ stage: 'claim' })) as [{ window: string }];
  await dead.kill();
  const killedAt = performance.now();
  const finished = said({ ended: 'commit', window });
  await Promise.race(others.map((child) => child.said(finished)));
  const tookMs = performance.now() - killedAt;
  console.log(`taken over after ${Math.round(tookMs)} ms with a lease of ${LEASE_MS} ms`);
  expect(tookMs).toBeLessThan(LEASE_MS + SLACK_MS);
  expect(others.flatMap((child) => stagesOf(child, window))).toEqual(['delegate', 'claim', 'commit']);
  expect(others.flatMap((child) => child.messages.filter(said({ msg: TAKEN_OVER })))).toHaveLength(1);
}, 120_000);

it('a process that was frozen for longer than its lease begins no stage of what it had, and works on', async () => {
  const frozen = await service('frozen', 'slow');
  frozen.process.send('7');
  await frozen.said(said({ stage: 'claim', window: '7' }));
  const other = await service('other');
  await settledIn();
  frozen.process.kill('SIGSTOP');
  const frozenAt = performance.now();
  await other.said(said({ ended: 'commit', window: '7' }));
  expect(performance.now() - frozenAt).toBeLessThan(LEASE_MS + SLACK_MS);
  // None of its sessions is left, so neither are locks.
  const sessions = "select 1 from pg_stat_activity where application_name like 'payouts frozen/%'";
  expect(await postgres.rows(databaseUrl, sessions)).toEqual([]);

  frozen.process.kill('SIGCONT');
  await frozen.said(said({ msg: LOST }));
  frozen.process.send('claim');
  await frozen.said(said({ ended: 'claim', window: '7' }));
  await sleep(1_500);
  // Its claim ended beside the other's, and that was the last of it.
  expect(stagesOf(frozen, '7')).toEqual(['delegate', 'claim']);
  expect(await workflows()).toEqual([expect.objectContaining(done('7'))]);

  await other.kill();
  frozen.process.send('8');
  await frozen.said(said({ ended: 'commit', window: '8' }));
  await sleep(1_500);
  expect(await workflows()).toEqual([expect.objectContaining(done('7')), expect.objectContaining(done('8'))]);
}, 120_000);

it('a run that comes back to a process whose former try of it still ends is ended by the new one', async () => {
  const frozen = await service('frozen', 'slow');
  frozen.process.send('7');
  await frozen.said(said({ stage: 'claim', window: '7' }));
  const other = await service('other', 'slow');
  await settledIn();
  frozen.process.kill('SIGSTOP');
  await other.said(said({ stage: 'claim', window: '7' }));
  frozen.process.kill('SIGCONT');
  await frozen.said(said({ msg: LOST }));
  // Back to the first one, which now has two tries of it.
  await settledIn();
  await other.kill();
  await until(() => stagesOf(frozen, '7').length === 4, LEASE_MS + SLACK_MS);
  frozen.process.send('claim');
  await frozen.said(said({ ended: 'commit', window: '7' }));
  await sleep(1_000);
  expect(stagesOf(frozen, '7')).toEqual(['delegate', 'claim', 'delegate', 'claim', 'commit']);
  expect(await workflows()).toEqual([expect.objectContaining(done('7'))]);
}, 120_000);

it('a process that is stopped in order leaves its runs to the others at once', async () => {
  const leaving = await service('leaving', 'slow');
  leaving.process.send('7');
  await leaving.said(said({ stage: 'claim', window: '7' }));
  const other = await service('other');
  leaving.process.send('stop');
  const stoppedAt = performance.now();
  await other.said(said({ stage: 'claim', window: '7' }));
  // The stage under way was given a second to end.
  expect(performance.now() - stoppedAt).toBeLessThan(2_500);
  await other.said(said({ ended: 'commit', window: '7' }));
  expect(await postgres.rows(databaseUrl, 'select instance from instance_leases')).toEqual([{ instance: 'other' }]);
  expect(other.messages.filter(said({ msg: TAKEN_OVER }))).toEqual([]);
}, 120_000);

it('what a process left is taken up at once by a start under its name, and within a lease under another', async () => {
  const first = await service('same', 'slow');
  first.process.send('7');
  await first.said(said({ stage: 'claim', window: '7' }));
  await first.kill();
  const again = await service('same', 'slow');
  await again.said(said({ stage: 'claim', window: '7' }));
  await again.kill();
  const renamed = await service('renamed');
  const readyAt = performance.now();
  await renamed.said(said({ ended: 'commit', window: '7' }));
  expect(performance.now() - readyAt).toBeLessThan(LEASE_MS + SLACK_MS);
}, 120_000);

it.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
  ['was stopped as by a crash', () => postgres.stop('immediate'), () => postgres.start()],
  ['was frozen', () => postgres.freeze(), () => postgres.thaw()],
])(
  'nobody takes anybody over when PostgreSQL %s for longer than the lease',
  async (_, fail, mend) => {
    const children = await Promise.all(['one', 'two', 'three'].map((name) => service(name, 'slow')));
    await settledIn();
    children[0]?.process.send('7');
    await Promise.race(children.map((child) => child.said(said({ stage: 'claim', window: '7' }))));
    // The tests' server does not wait for the disk: a crash would take the last moments with it.
    await postgres.rows(databaseUrl, 'checkpoint');
    await fail();
    await sleep(2 * LEASE_MS);
    await mend();
    await Promise.all(children.map((child) => child.said(said({ msg: 'the lease on runs is renewed again' }))));
    await settledIn();
    const live = await postgres.rows(
      databaseUrl,
      'select instance from instance_leases where expires_at > now() order by 1',
    );
    expect(live.map(({ instance }) => instance)).toEqual(['one', 'three', 'two']);
    const lines = children.flatMap((child) => child.messages.map((message) => (message as Message).msg));
    expect(lines.filter((line) => line === TAKEN_OVER || line === LOST)).toEqual([]);

    for (const child of children) child.process.send('claim');
    await Promise.race(children.map((child) => child.said(said({ ended: 'commit', window: '7' }))));
    expect(children.flatMap((child) => stagesOf(child, '7'))).toEqual(['delegate', 'claim', 'commit']);
  },
  120_000,
);
