import { openVault, withdraw } from '@payouts/cli';
import { findBatchAddress, findCounterAddress } from '@payouts/client';
import { addressesOfDelegation } from '@payouts/testing/litesvm/delegation';
import { freshWallet, personAt, somePayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { beFirstAt } from './beFirstAt.ts';

const RECIPIENTS = 5;
const AMOUNT = 7_000n;

let world: World;
let employer: Employer;

/** Sends lamports to everything through which an account goes to the layer and comes back. */
async function occupyDelegation(account: Address): Promise<void> {
  for (const address of addressesOfDelegation(account)) await beFirstAt(world, address);
}

beforeAll(async () => {
  world = await World.start();
  const signer = await generateKeyPairSigner();
  const mint = await world.giveToken(signer.address);
  const counter = await findCounterAddress(mint);
  await beFirstAt(world, counter);
  await occupyDelegation(counter);
  const vault = await openVault(world.ledgers, signer, mint);
  employer = await world.promise({ signer, mint, vault }, await somePayees(RECIPIENTS, AMOUNT), { executions: 2 });
  await world.startCoordinator();
});

it('opens, pays and settles windows, and pays withdrawals, though lamports lie at all that a delegation creates', async () => {
  const batch = await findBatchAddress(employer.schedule);
  await occupyDelegation(batch);
  await world.register(employer);
  await world.settledInFull(employer, 0n);
  const wallet = await freshWallet();
  expect(await withdraw(world.ledgers, { ...personAt(employer, 0), wallet, amount: 'all' })).toBe(AMOUNT);
  // Again, where the first window has left nothing.
  await occupyDelegation(batch);
  await world.localnet.admin.advanceClock(HOUR);
  await world.settledInFull(employer, 1n);
  await world.checkMoneyRules(employer);
});
