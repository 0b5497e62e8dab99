import { openVault, withdraw } from '@payouts/cli';
import {
  findBatchAddress,
  findCounterAddress,
  findPoolAddress,
  findScheduleAddress,
  findVaultAddress,
  type Payee,
  type RecipientBalance,
  RecipientClient,
  systemTime,
} from '@payouts/client';
import { addressesOfDelegation } from '@payouts/testing/litesvm/delegation';
import { freshWallet, personAt, somePayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { beFirstAt } from './beFirstAt.ts';

const RECIPIENTS = 5;
const AMOUNT = 7_000n;

type Person = ReturnType<typeof personAt>;

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
  const owned = await findVaultAddress(signer.address, mint);
  for (const address of [counter, await findPoolAddress(mint), owned, await findScheduleAddress(owned, 1n)]) {
    await beFirstAt(world, address);
  }
  await occupyDelegation(counter);
  const vault = await openVault(world.ledgers, signer, mint);
  const [first, ...others] = (await somePayees(RECIPIENTS, AMOUNT)) as [Payee, ...Payee[]];
  const payees = [{ ...first, delivery: 'wallet' as const }, ...others];
  employer = await world.promise({ signer, mint, vault }, payees, { executions: 2 });
  await world.startCoordinator();
});

it('opens, pays and settles windows, and pays withdrawals, though lamports lie at all that a delegation creates', async () => {
  const batch = await findBatchAddress(employer.schedule);
  await occupyDelegation(batch);
  await world.register(employer);
  await world.settledInFull(employer, 0n);
  const wallet = await freshWallet();
  const people = employer.list.recipients.map((_, index) => personAt(employer, index));
  const [one, other] = people.filter(({ balance }) => balance.delivery === 'balance') as [Person, Person];
  expect(await withdraw(world.ledgers, { ...one, wallet, amount: 'all' })).toBe(AMOUNT);
  // Through the coordinator.
  const client = new RecipientClient({ apiUrl: world.apiUrl, signer: other.recipient, time: systemTime });
  const [own] = (await client.balances()).balances;
  const second = await freshWallet();
  await client.withdraw(own as RecipientBalance, { amount: 1_000n, wallet: second });
  await world.arrived(second, employer, 1_000n);
  const delivered = people.find(({ balance }) => balance.delivery === 'wallet') as Person;
  await world.arrived(delivered.recipient.address, employer, AMOUNT);
  // A recipient knows where their balance is, beside those of others.
  const told = (await client.balances()).balances as [RecipientBalance];
  await beFirstAt(world, told[0].place?.page as Address);
  const { amount, place } = told[0];
  expect((await client.balances()).balances).toMatchObject([{ amount, place }]);
  // Again, where the first window has left nothing.
  await occupyDelegation(batch);
  await world.localnet.admin.advanceClock(HOUR);
  await world.settledInFull(employer, 1n);
  await world.arrived(delivered.recipient.address, employer, 2n * AMOUNT);
  const [now] = (await client.balances()).balances;
  expect(now).toMatchObject({ amount: 2n * AMOUNT - 1_000n, place });
  await world.checkMoneyRules(employer);
});
