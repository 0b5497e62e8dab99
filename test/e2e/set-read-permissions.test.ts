import { fileURLToPath } from 'node:url';
import { derivePermissionAddress, PERMISSION_PROGRAM_ADDRESS } from '@payouts/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payeesWithKeys } from '../support/wallets.ts';
import { type Employer, World } from '../support/world.ts';

let world: World;
let employer: Employer;
beforeAll(async () => {
  world = await World.start({
    programs: [
      {
        address: PERMISSION_PROGRAM_ADDRESS,
        path: fileURLToPath(new URL('../program/permission-program.so', import.meta.url)),
      },
    ],
  });
  await world.startCoordinator({ METRICS_PUBLIC: 'true' });
});
afterAll(async () => {
  await world?.stop();
});

it('sets', async () => {
  employer = await world.employer((await payeesWithKeys(70, 1_000n)).payees, { executions: 2, batchTimeout: 600 });
  await world.register(employer);
  await world.settled(employer, 0n);
  const perm = derivePermissionAddress(employer.balances[0] as never);
  console.log(await world.ledgers.layer.getAccountInfo(perm, { encoding: 'base64' }).send());
  const { readFileSync } = await import('node:fs');
  console.log(
    readFileSync(world.coordinatorLog, 'utf8')
      .split('\n')
      .filter((l) => l.includes('permission'))
      .join('\n'),
  );
}, 120_000);
