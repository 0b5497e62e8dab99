import { redirectWithdrawal, setStandingOrder, walletTokens, withdraw, withdrawalCleared } from '@payouts/cli';
import { actFor, type Payee, requestWithdrawalInstructions, sendToLayer } from '@payouts/client';
import { freshWallet, keyOf, personOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, inSeconds, until, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const RECIPIENTS = 4;
/** The recipient whose leaf says that money goes on to their own wallet. */
const DELIVERED = 3;
const DAY = 86_400;

let world: World;
let employer: Employer;
let payees: Payee[];

beforeAll(async () => {
  world = await World.shared();
  payees = await variedPayees(RECIPIENTS, AMOUNT);
  payees[DELIVERED] = { ...(payees[DELIVERED] as Payee), delivery: 'wallet' };
  employer = await world.begin(payees, { executions: 1, batchTimeout: 600 }, { WITHDRAWAL_BATCH_SECONDS: '1' });
  await world.registerAndSettle(employer);
});

/** A recipient by the payroll's line. */
const person = (line: number) => personOf(employer, keyOf(payees[line] as Payee));

it('takes a recipient’s money to a wallet that nobody has seen', async () => {
  const [{ amount: paid, ...own }, wallet] = [person(0), await freshWallet()];
  expect(await withdraw(world.ledgers, { ...own, wallet, amount: 'all' })).toBe(paid);
});

it('lets a second withdrawal wait for the first, which goes where it is redirected to and is paid once', async () => {
  const { recipient, balance, mint, amount: paid } = person(1);
  const [first, last] = [await freshWallet(), await freshWallet()];
  const request = async (amount: bigint, wallet: Address, dueAt = 0n) => {
    const input = { balance, mint, wallet, amount, dueAt };
    const acting = await actFor(recipient, { ...input, time: world.ledgers.time }, (signer) =>
      requestWithdrawalInstructions({ ...input, signer }),
    );
    await sendToLayer(world.ledgers, acting.instructions, acting.feePayer);
  };
  const part = 400_000n;
  await request(part, first, inSeconds(DAY));
  await expect(request(1n, last)).rejects.toThrow(/WithdrawalPending|under way/);
  const [wallet] = [await freshWallet()];
  await redirectWithdrawal(world.ledgers, { recipient, balance, wallet, within: 0 });
  await withdrawalCleared(world.ledgers, balance);
  await world.arrived(wallet, employer, part);
  expect(await withdraw(world.ledgers, { recipient, balance, mint, wallet: last, amount: 'all' })).toBe(paid - part);
  expect(await walletTokens(world.ledgers, first, mint)).toBe(0n);
});

it('pays by itself what a standing order asks for, and to the wallet of whoever is listed so', async () => {
  const { recipient, balance, amount: paid } = person(2);
  const wallet = await freshWallet();
  await setStandingOrder(world.ledgers, { recipient, balance, threshold: paid, wallet });
  await Promise.all([
    world.arrived(wallet, employer, paid),
    world.arrived(person(DELIVERED).recipient.address, employer, person(DELIVERED).amount),
  ]);
  const settled = async () => {
    const proof = await world.checkMoneyRules(employer);
    return proof.pool.withdrawalsUnderWay === 0n && proof.pool;
  };
  expect(await until(settled, 'the withdrawals to be confirmed')).toMatchObject({ privateBalances: 0n });
});
