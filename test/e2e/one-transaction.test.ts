import {
  CLAIM_PAYMENT_DISCRIMINATOR,
  COMMIT_DISCRIMINATOR,
  findBatchAddress,
  OPEN_BITMAP_DISCRIMINATOR,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '@payouts/client';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, World } from '@payouts/testing/world';
import { getBase58Encoder } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const TERMS = { executions: 1, calendar: everySeconds(1), batchTimeout: 600 };
/** What pays an open window and closes it. */
const PAYING = [OPEN_BITMAP_DISCRIMINATOR, CLAIM_PAYMENT_DISCRIMINATOR, COMMIT_DISCRIMINATOR];

let world: World;
beforeAll(async () => {
  world = await World.shared();
  await world.startCoordinator();
});

/** The first bytes of the program's instructions that pay a window or close it, by transaction of the layer, oldest first. */
async function payingTransactions({ schedule }: Employer): Promise<number[][]> {
  const { layer } = world.ledgers;
  const found = await layer.getSignaturesForAddress(await findBatchAddress(schedule)).send();
  const transactions = await Promise.all(
    found.toReversed().map(async ({ signature }) => {
      const options = { encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
      const { accountKeys, instructions } = (await layer.getTransaction(signature, options).send())?.transaction
        .message ?? { accountKeys: [], instructions: [] };
      return instructions
        .filter(({ programIdIndex }) => accountKeys[programIdIndex] === PAYOUT_LEDGER_PROGRAM_ADDRESS)
        .map(({ data }) => getBase58Encoder().encode(data)[0] as number)
        .filter((first) => PAYING.includes(first));
    }),
  );
  return transactions.filter(({ length }) => length > 0);
}

it('pays a short list and closes its window by one transaction of the layer', async () => {
  const employer = await world.employer(await variedPayees(5, 1_000n), TERMS);
  await world.register(employer);
  await world.settledInFull(employer, 0n);
  expect(await payingTransactions(employer)).toEqual([PAYING]);
  await world.checkMoneyRules(employer);
});

it('leaves a window open after its claims where money goes on to wallets', async () => {
  const payees = await variedPayees(5, 1_000n);
  const employer = await world.employer(
    payees.map((payee, place) => (place === 0 ? { ...payee, delivery: 'wallet' } : payee)),
    TERMS,
  );
  await world.register(employer);
  await world.settledInFull(employer, 0n);
  expect(await payingTransactions(employer)).toEqual([PAYING.slice(0, 2), PAYING.slice(2)]);
  await world.checkMoneyRules(employer);
});
