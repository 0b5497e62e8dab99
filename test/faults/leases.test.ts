import { setTimeout as sleep } from 'node:timers/promises';
import { systemTime } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import {
  jobs,
  LEASE_MS,
  LOST,
  SILENT,
  SLACK_MS,
  saying,
  settledIn,
  stagesOf,
  startService,
  until,
} from '../../packages/coordinator/test/support/leasedService.ts';

let postgres: Postgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres(systemTime, { isToBeFrozen: true });
});
beforeEach(async () => {
  databaseUrl = await postgres.createDatabase();
});

it('a run that comes back to a process whose former try of it still ends is ended by the new one', async () => {
  const frozen = await startService(databaseUrl, 'frozen', 'slow');
  frozen.process.send('7');
  await frozen.said(saying({ stage: 'claim', window: '7' }));
  const other = await startService(databaseUrl, 'other', 'slow');
  await settledIn();
  frozen.process.kill('SIGSTOP');
  await other.said(saying({ stage: 'claim', window: '7' }));
  frozen.process.kill('SIGCONT');
  await frozen.said(saying({ msg: LOST }));
  // Back to the first one, which now has two tries of it.
  await settledIn();
  await other.kill();
  await until(() => stagesOf(frozen, '7').length === 4);
  frozen.process.send('claim');
  await frozen.said(saying({ ended: 'commit', window: '7' }));
  await sleep(1_000);
  expect(stagesOf(frozen, '7')).toEqual(['delegate', 'claim', 'delegate', 'claim', 'commit']);
  await expect.poll(() => jobs(postgres, databaseUrl)).toEqual([]);
});

it('what a process left is taken up at once by a start under its name, and within a lease under another', async () => {
  const first = await startService(databaseUrl, 'same', 'slow');
  first.process.send('7');
  await first.said(saying({ stage: 'claim', window: '7' }));
  await first.kill();
  const again = await startService(databaseUrl, 'same', 'slow');
  await again.said(saying({ stage: 'claim', window: '7' }));
  await again.kill();
  const renamed = await startService(databaseUrl, 'renamed');
  const readyAt = performance.now();
  await renamed.said(saying({ ended: 'commit', window: '7' }));
  expect(performance.now() - readyAt).toBeLessThan(LEASE_MS + SLACK_MS);
});

it.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
  ['was stopped as by a crash', () => postgres.stop('immediate'), () => postgres.start()],
  ['was frozen', () => postgres.freeze(), () => postgres.thaw()],
])('nobody takes anybody over when PostgreSQL %s for longer than the lease', async (_, fail, remedy) => {
  const children = await Promise.all(['one', 'two', 'three'].map((name) => startService(databaseUrl, name, 'slow')));
  await settledIn();
  children[0]?.process.send('7');
  await Promise.race(children.map((child) => child.said(saying({ stage: 'claim', window: '7' }))));
  await fail();
  await sleep(2 * LEASE_MS);
  await remedy();
  await Promise.all(children.map((child) => child.said(saying({ msg: 'loop works again', loop: 'lease' }))));
  await settledIn();
  const live = 'select instance from instance_leases where expires_at > now() order by 1';
  await expect
    .poll(async () => (await postgres.rows(databaseUrl, live)).map(({ instance }) => instance))
    .toEqual(['one', 'three', 'two']);
  for (const msg of [SILENT, LOST])
    expect(children.flatMap((child) => child.messages.filter(saying({ msg })))).toEqual([]);

  for (const child of children) child.process.send('claim');
  await Promise.race(children.map((child) => child.said(saying({ ended: 'commit', window: '7' }))));
  expect(children.flatMap((child) => stagesOf(child, '7'))).toEqual(['delegate', 'claim', 'commit']);
});
