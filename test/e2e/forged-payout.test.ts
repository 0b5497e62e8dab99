import { requestWithdrawal, walletTokens, withdraw, withdrawalCleared } from '@payouts/cli';
import {
  fetchPool,
  findPageAddress,
  findPoolAddress,
  findSponsorAddress,
  findTokenAddress,
  getPayOutInstructionAsync,
  getRecordLiabilitiesInstructionAsync,
  type Liabilities,
  poolHeld,
  sendToBase,
  withdrawalLeafHash,
} from '@payouts/client';
import { callHandler, escrowOf } from '@payouts/testing/litesvm/delegation';
import { underWay } from '@payouts/testing/underWay';
import { developmentValidator } from '@payouts/testing/validatorKey';
import { freshWallet, personAt, somePayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, createNoopSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { actionOf } from '../program/fixtures/delegationProgram.ts';

const AMOUNT = 7_000n;
const BLIND = new Uint8Array(16).fill(9);

let world: World;
let employer: Employer;

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
  employer = await world.employer(await somePayees(3, AMOUNT));
  await world.registerAndSettle(employer);
  await world.stopCoordinator();
});

/** Records something as the execution authority, whose key somebody has who is not the coordinator. */
async function record(change: Partial<Liabilities>): Promise<void> {
  const { base } = world.ledgers;
  const { data: pool } = await fetchPool(base, await findPoolAddress(employer.mint));
  const liabilities = {
    sequence: pool.sequence + 1n,
    root: new Uint8Array(32).fill(7),
    total: poolHeld(pool),
    openings: pool.openings,
    movedIn: pool.movedIn,
    coveredTo: pool.coveredTo,
    leaves: 1,
    withdrawalsRoot: new Uint8Array(32),
    withdrawalLeaves: 0,
    ...change,
  };
  const { authority } = world;
  const instruction = await getRecordLiabilitiesInstructionAsync({ authority, mint: employer.mint, liabilities });
  await sendToBase(world.ledgers, [instruction], authority);
}

/** Has the delegation program call `pay_out` with the pool's escrow, signed by the layer's own validator. */
async function payAsValidator(number: bigint, amount: bigint, wallet: Address): Promise<void> {
  const { mint } = employer;
  const pool = await findPoolAddress(mint);
  const validator = await developmentValidator();
  const call = await getPayOutInstructionAsync({
    pool,
    mint,
    wallet,
    walletToken: await findTokenAddress(wallet, mint),
    page: await findPageAddress(mint, number),
    sponsor: await findSponsorAddress(mint),
    escrow: createNoopSigner(escrowOf(pool)),
    number,
    amount,
    proven: { index: 0, blind: BLIND, proof: [] },
  });
  const handler = callHandler(validator.address, actionOf(call));
  await sendToBase(world.ledgers, [handler], validator);
}

it('pays what is recorded, and nothing else that the validator’s own key signs', async () => {
  const person = personAt(employer, 0);
  const wallet = await freshWallet();
  await requestWithdrawal(world.ledgers, { ...person, wallet, amount: 'all' });
  const [{ number } = { number: 0n }] = await underWay(world.ledgers, person.balance);
  expect(number).toBe(1n);
  const withdrawalsRoot = withdrawalLeafHash({ number, amount: AMOUNT, wallet }, BLIND);
  await record({ withdrawalsRoot, withdrawalLeaves: 1, coveredTo: number + 1n });

  const accomplice = await freshWallet();
  const refused = { code: 'NotCovered' };
  await expect(payAsValidator(number, AMOUNT + 1n, wallet)).rejects.toMatchObject(refused);
  await expect(payAsValidator(number, AMOUNT, accomplice)).rejects.toMatchObject(refused);
  await expect(payAsValidator(number + 1n, AMOUNT, wallet)).rejects.toMatchObject(refused);
  expect(await walletTokens(world.ledgers, accomplice, employer.mint)).toBe(0n);
  await payAsValidator(number, AMOUNT, wallet);
  expect(await walletTokens(world.ledgers, wallet, employer.mint)).toBe(AMOUNT);
});

it('goes on paying after somebody has recorded as much as the program lets them', async () => {
  await record({ withdrawalLeaves: 4_096, coveredTo: 4_098n });
  await world.startCoordinator();
  await withdrawalCleared(world.ledgers, personAt(employer, 0));
  const wallet = await freshWallet();
  expect(await withdraw(world.ledgers, { ...personAt(employer, 1), wallet, amount: 'all' })).toBe(AMOUNT);
  expect((await world.pool(employer)).coveredTo).toBe(3n);
  await world.checkMoneyRules(employer);
});
