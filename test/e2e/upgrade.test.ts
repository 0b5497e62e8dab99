import { Cluster } from '@payouts/testing/cluster';
import { runCommand } from '@payouts/testing/command';
import { somePayees } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

/** A migration that only a later version has. */
const LATER = '9999_later';

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await World.shared();
  cluster = await Cluster.start(world, ['one', 'two']);
});

it('coordinators go on while a later version has the tables, none of theirs starts any more, and going back needs the tables from before', async () => {
  await cluster.rows(`insert into kysely_migration (name, timestamp) values ('${LATER}', '2027-01-01T00:00:00.000Z')`);

  const employer = await world.employer(await somePayees(3, 5n), { executions: 1, batchTimeout: 600 });
  await cluster.register(employer);
  await cluster.settledInFull(employer, 0n, 180_000);

  expect(await cluster.stopOne('two')).toBe(0);
  await expect(cluster.startOne('two')).rejects.toThrow(`used by a newer version of this service (it has ${LATER})`);
  const migrated = await runCommand(cluster.settings, 'migrate');
  expect(migrated).toMatchObject({ code: 1, printed: expect.stringContaining('restore the backup from before') });

  await cluster.rows(`delete from kysely_migration where name = '${LATER}'`);
  await cluster.startOne('two');
  const { differences } = JSON.parse((await runCommand(cluster.settings, 'reconcile', '--json')).printed);
  // The ledgers are shared: windows that other tests have open are registered in their databases, and not in this one.
  expect(differences.filter(({ kind }: { kind: string }) => kind !== 'open-unregistered')).toEqual([]);
  await world.checkMoneyRules(employer);
}, 400_000);
