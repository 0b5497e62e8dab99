import {
  cancelWithdrawal,
  redirectWithdrawal,
  sendFor,
  setStandingOrder,
  walletTokens,
  withdraw,
  withdrawalCleared,
} from '@payouts/cli';
import { type Payee, requestWithdrawalInstructions } from '@payouts/client';
import { underWay } from '@payouts/testing/underWay';
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

it('takes several withdrawals of a balance at a time, each of which goes where it is redirected to and is paid once', async () => {
  const { recipient, balance, mint, amount: paid } = person(1);
  const [first, second, last] = [await freshWallet(), await freshWallet(), await freshWallet()];
  const [part, other] = [400_000n, 100_000n];
  const request = (amount: bigint, wallet: Address, dueAt: bigint) =>
    sendFor(world.ledgers, { recipient, balance }, (acting) =>
      requestWithdrawalInstructions({ ...acting, mint, wallet, amount, dueAt }),
    );
  await request(part, first, inSeconds(DAY));
  await request(other, second, inSeconds(DAY));
  // What waits is not there for a third.
  await expect(request(paid - part - other + 1n, last, 0n)).rejects.toMatchObject({ code: 'InsufficientBalance' });
  const [one, two] = await underWay(world.ledgers, balance);
  await cancelWithdrawal(world.ledgers, { recipient, balance, id: two?.id ?? 0 });
  const wallet = await freshWallet();
  await redirectWithdrawal(world.ledgers, { recipient, balance, id: one?.id ?? 0, wallet, within: 0 });
  await withdrawalCleared(world.ledgers, { recipient, balance });
  await world.arrived(wallet, employer, part);
  expect(await withdraw(world.ledgers, { recipient, balance, wallet: last, amount: 'all' })).toBe(paid - part);
  for (const unpaid of [first, second]) expect(await walletTokens(world.ledgers, unpaid, mint)).toBe(0n);
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
