import {
  fetchConfig,
  findConfigAddress,
  getCloseScheduleInstructionAsync,
  getUpdateConfigInstructionAsync,
  scheduleFees,
  sendToBase,
} from '@payouts/client';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { expect, it } from 'vitest';

const SCHEDULES = 10;
const RECIPIENTS = 5;
/** Lamports that employers prepay, and what the delegation program keeps of each window: docs/operating/running.md. */
const FEES = { windowFee: 310_000, recipientFee: 2_047_856 };
const SESSION = 300_000n;

async function askFees(world: World): Promise<void> {
  const { data: config } = await fetchConfig(world.ledgers.base, await findConfigAddress());
  const { validator, flags } = config;
  const update = await getUpdateConfigInstructionAsync({
    governance: world.admin,
    pendingGovernance: SYSTEM_PROGRAM_ADDRESS,
    validator,
    flags,
    limits: { ...config, ...FEES },
  });
  await sendToBase(world.ledgers, [update], world.admin);
}

/** Lamports, and fees of all transactions that the address has paid for. */
async function booksOf({ ledgers: { base } }: World, address: Address): Promise<{ owned: bigint; fees: bigint }> {
  const { value: owned } = await base.getBalance(address, { commitment: 'confirmed' }).send();
  const all = await base.getSignaturesForAddress(address, { commitment: 'confirmed', limit: 1_000 }).send();
  let fees = 0n;
  for (const { signature } of all) {
    const how = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
    const found = await base.getTransaction(signature, how).send();
    if (found?.transaction.message.accountKeys[0] === address) fees += found.meta?.fee ?? 0n;
  }
  return { owned, fees };
}

it('costs the operator its fees and nothing else to open, pay and close ten schedules, and employers what they prepaid', async () => {
  const world = await World.start();
  await askFees(world);
  const payer = await world.payer();
  const before = await booksOf(world, world.authority.address);
  const employers: Employer[] = [];
  for (let id = 0n; id < SCHEDULES; id++) {
    employers.push(await world.promise(payer, await somePayees(RECIPIENTS, 7_000n), { id, executions: 1 }));
  }
  await world.startCoordinator();
  for (const employer of employers) await world.register(employer);
  for (const employer of employers) await world.settledInFull(employer, 0n);
  await world.stopCoordinator();

  const after = await booksOf(world, world.authority.address);
  const charged = scheduleFees(FEES, SCHEDULES, SCHEDULES * RECIPIENTS);
  const transactions = after.fees - before.fees;
  expect(transactions).toBeGreaterThan(0n);
  expect(after.owned - before.owned).toBe(charged - BigInt(SCHEDULES) * SESSION - transactions);

  const { base } = world.ledgers;
  for (const { signer, vault, schedule } of employers) {
    const close = await getCloseScheduleInstructionAsync({
      employer: signer,
      vault,
      schedule,
      authority: world.authority.address,
    });
    const held = await base.getBalance(schedule, { commitment: 'confirmed' }).send();
    expect(held.value).toBe(await base.getMinimumBalanceForRentExemption(488n).send());
    await sendToBase(world.ledgers, [close], signer);
  }
  // Nothing of what employers get back was the operator's.
  const { owned } = await booksOf(world, world.authority.address);
  expect(owned).toBe(after.owned);
});
