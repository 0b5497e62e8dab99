import { fetchVault } from '@payouts/client';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { getBase64Encoder } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { beforeAll, expect, it } from 'vitest';

const AMOUNT_OFFSET = 64;

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  employer = await world.employer(await somePayees(3, 10n), { executions: 2 });
});

it('reports no window as settled while a money rule is broken, and says by how much', async () => {
  // One base unit of the vault's tokens vanishes, as no transaction could make it.
  const { tokenAccount } = (await fetchVault(world.ledgers.base, employer.vault)).data;
  const { value } = await world.ledgers.base.getAccountInfo(tokenAccount, { encoding: 'base64' }).send();
  if (value === null) throw new Error('the vault has no token account');
  const data = Uint8Array.from(getBase64Encoder().encode(value.data[0]));
  const view = new DataView(data.buffer);
  view.setBigUint64(AMOUNT_OFFSET, view.getBigUint64(AMOUNT_OFFSET, true) - 1n, true);
  await world.localnet.admin.setAccount({
    address: tokenAccount,
    lamports: value.lamports,
    owner: TOKEN_PROGRAM_ADDRESS,
    data,
  });

  await world.startCoordinator();
  await world.register(employer);
  const run = await world.runIn(employer, 'failed', { errorCode: 'money-rule-broken' });
  expect(run.errorDetail).toContain('holds 29, but available and reserved are 30');
});
