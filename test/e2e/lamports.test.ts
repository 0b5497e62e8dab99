import {
  fetchConfig,
  findConfigAddress,
  findSponsorAddress,
  getCloseScheduleInstructionAsync,
  getSetLeastOpeningInstructionAsync,
  getUpdateConfigInstructionAsync,
  prepaidOpenings,
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
/** Base units each. */
const AMOUNT = 7_000n;
/** Lamports that employers prepay, and what the delegation program keeps of each window: docs/operating/running.md. */
const FEES = { windowFee: 310_000, recipientFee: 52_228, openingFee: 2_039_280 };
/** Base units from which on a token's sponsor opens accounts. */
const LEAST_OPENING = 300n;
const SESSION = 300_000n;

async function askFees(world: World, mint: Address): Promise<void> {
  const { data: config } = await fetchConfig(world.ledgers.base, await findConfigAddress());
  const { validator, flags } = config;
  const update = await getUpdateConfigInstructionAsync({
    governance: world.admin,
    pendingGovernance: SYSTEM_PROGRAM_ADDRESS,
    validator,
    flags,
    limits: { ...config, ...FEES },
  });
  const least = await getSetLeastOpeningInstructionAsync({
    governance: world.admin,
    guardian: world.guardian,
    mint,
    amount: LEAST_OPENING,
  });
  await sendToBase(world.ledgers, [update, least], world.admin);
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
  const payer = await world.payer();
  await askFees(world, payer.mint);
  const { base } = world.ledgers;
  const sponsor = await findSponsorAddress(payer.mint);
  const ofSponsor = async () => (await base.getBalance(sponsor, { commitment: 'confirmed' }).send()).value;
  const [before, filled] = [await booksOf(world, world.authority.address), await ofSponsor()];
  const employers: Employer[] = [];
  for (let id = 0n; id < SCHEDULES; id++) {
    employers.push(await world.promise(payer, await somePayees(RECIPIENTS, AMOUNT), { id, executions: 1 }));
  }
  await world.startCoordinator();
  for (const employer of employers) await world.register(employer);
  for (const employer of employers) await world.settledInFull(employer, 0n);
  await world.stopCoordinator();

  const after = await booksOf(world, world.authority.address);
  const charged = scheduleFees(
    { ...FEES, leastOpening: 0n },
    { windows: SCHEDULES, recipients: SCHEDULES * RECIPIENTS, amount: 0n },
  );
  // The sponsor has what all that is held can have it open.
  const openings = (BigInt(SCHEDULES * RECIPIENTS) * AMOUNT) / LEAST_OPENING;
  const own = await base.getMinimumBalanceForRentExemption(0n).send();
  const given = (await ofSponsor()) - filled;
  expect(filled + given - own).toBe(BigInt(FEES.openingFee) * openings);
  const transactions = after.fees - before.fees;
  expect(transactions).toBeGreaterThan(0n);
  expect(after.owned - before.owned).toBe(charged - BigInt(SCHEDULES) * SESSION - transactions);

  let unused = 0n;
  for (const { signer, vault, schedule } of employers) {
    const close = await getCloseScheduleInstructionAsync({
      employer: signer,
      vault,
      schedule,
      authority: world.authority.address,
    });
    const held = await base.getBalance(schedule, { commitment: 'confirmed' }).send();
    unused += held.value - (await base.getMinimumBalanceForRentExemption(720n).send());
    await sendToBase(world.ledgers, [close], signer);
  }
  // Each schedule prepaid for its own, and what the sponsor had already was not taken.
  const ofEach = prepaidOpenings({ leastOpening: LEAST_OPENING }, BigInt(RECIPIENTS) * AMOUNT);
  expect(unused).toBe(BigInt(SCHEDULES) * BigInt(FEES.openingFee) * ofEach - given);
  // Nothing of what employers get back was the operator's.
  const { owned } = await booksOf(world, world.authority.address);
  expect(owned).toBe(after.owned);
});
