import { deposit } from '@payouts/cli';
import {
  fetchVault,
  findWhitelistEntryAddress,
  getFundScheduleInstructionAsync,
  getVaultEncoder,
  sendToBase,
} from '@payouts/client';
import { baseLedgerAdmin } from '@payouts/localnet';
import { variedPayees } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const MISSING = 1_500_000n;

let world: World;
beforeAll(async () => {
  world = await World.shared();
});

it('holds a schedule that its vault does not cover, says what is missing, and goes on once money comes', async () => {
  const payees = await variedPayees(3, 1_000_000n);
  const employer = await world.begin(payees, { executions: 1, batchTimeout: 600 }, { HOLD_RECHECK_MS: '200' });
  const { signer, mint, vault, schedule, list } = employer;
  // The program lets no promise go without cover, so the ledger is made to say that there is less.
  const { data, programAddress, lamports } = await fetchVault(world.ledgers.base, vault);
  const less = getVaultEncoder().encode({ ...data, reserved: data.reserved - MISSING });
  const account = { address: vault, lamports, owner: programAddress, data: new Uint8Array(less) };
  await baseLedgerAdmin(world.urls.baseRpcUrl).setAccount(account);
  await world.register(employer);
  const { errorDetail } = await world.runIn(employer, 'held', { errorCode: 'funding-short' });
  expect(errorDetail).toMatch(/^The vault covers no more windows; short of 1\.50 \S+ now\.$/);
  expect(await world.privateBalances(employer)).toEqual([0n, 0n, 0n]);

  await deposit(world.ledgers, signer, mint, list.total);
  const mintEntry = await findWhitelistEntryAddress(mint);
  const accounts = { employer: signer, payer: signer, mintEntry, vault, schedule };
  const fund = await getFundScheduleInstructionAsync({ ...accounts, executions: 1, dates: [] });
  await sendToBase(world.ledgers, [fund], signer);
  await world.settled(employer, 0n);
  await world.checkPaid(1, employer);
});
