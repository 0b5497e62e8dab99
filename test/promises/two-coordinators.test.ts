import { Cluster } from '@payouts/testing/cluster';
import { variedPayees } from '@payouts/testing/wallets';
import { everySeconds, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 10;
const WINDOWS = 2;

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await World.shared();
  // Both at once on an empty database.
  cluster = await Cluster.start(world, ['one', 'two']);
});

it('two coordinators that share a database give each window one run and pay it once', async () => {
  const terms = { executions: WINDOWS, calendar: everySeconds(1), batchTimeout: 600 };
  const first = await world.employer(await variedPayees(RECIPIENTS, 1_000n), terms);
  const employers = [first, await world.promise(first, await variedPayees(RECIPIENTS, 5n), { id: 1n, ...terms })];
  await Promise.all(employers.map((employer) => cluster.register(employer)));
  for (const employer of employers) {
    for (let window = 0n; window < WINDOWS; window += 1n) await cluster.settledInFull(employer, window);
  }
  const runs = await cluster.rows(
    'select schedule, window_number, count(*)::integer as runs from execution_runs group by 1, 2',
  );
  expect(runs.map((row) => row.runs)).toEqual(Array(employers.length * WINDOWS).fill(1));
  await world.checkPaid(WINDOWS, ...employers);
});
