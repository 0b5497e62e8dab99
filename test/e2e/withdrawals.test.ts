import { readFile } from 'node:fs/promises';
import {
  personalOf,
  privateBalance,
  redirectWithdrawal,
  requestWithdrawal,
  setStandingOrder,
  walletTokens,
  withdraw,
  withdrawalCleared,
} from '@payouts/cli';
import {
  buildTransaction,
  connect,
  findPageAddress,
  getConfirmWithdrawalInstructionAsync,
  type Payee,
  systemTime,
  type Time,
} from '@payouts/client';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import { rounds } from '@payouts/testing/rounds';
import { personalSeen, underWay } from '@payouts/testing/underWay';
import { freshWallet, keyOf, makeHostile, personOf, variedPayees } from '@payouts/testing/wallets';
import { lastProof } from '@payouts/testing/withdrawalProofs';
import { type Employer, until, World } from '@payouts/testing/world';
import {
  type Address,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
} from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const RECIPIENTS = 9;
/** The recipient whose leaf says that money goes on to their own wallet. */
const DELIVERED = 8;
/** Who takes money out several times at once. */
const SEVERAL = 7;
/** A payout that fails is sent again half a minute later at the earliest; the log says late that it has not arrived. */
const REISSUED_AFTER_MS = 10_000;

describe('withdrawals', () => {
  let world: World;
  let employer: Employer;
  let payees: Payee[];

  beforeAll(async () => {
    world = await World.shared();
    await world.startCoordinator({ METRICS_PUBLIC: 'true' });
    payees = await variedPayees(RECIPIENTS, AMOUNT);
    payees[DELIVERED] = { ...(payees[DELIVERED] as Payee), delivery: 'wallet' };
    employer = await world.employer(payees, { executions: 2 });
    await world.registerAndSettle(employer);
  });

  /** The coordinator's lines with a message that are written to their ends. */
  async function logged(message: string): Promise<readonly { readonly number: number; readonly time: number }[]> {
    const lines = (await readFile(world.coordinatorLog, 'utf8')).split('\n').slice(0, -1);
    return lines.filter((line) => line.includes(message)).map((line) => JSON.parse(line));
  }

  /** A recipient by the payroll's line. */
  const person = (line: number) => personOf(employer, keyOf(payees[line] as Payee));
  const request = (line: number, wallet: Address, amount: bigint | 'all' = 'all') =>
    requestWithdrawal(world.ledgers, { ...person(line), wallet, amount });
  const underWayOf = (line: number) => underWay(world.ledgers, person(line).balance);
  const amountOf = (line: number) => privateBalance(world.ledgers, person(line).balance);

  it('delivers to the wallet of a recipient whose leaf says so, who does nothing', async () => {
    const { recipient, balance, amount } = person(DELIVERED);
    await world.arrived(recipient.address, employer, amount);
    const isCleared = async () => (await amountOf(DELIVERED)) === 0n && (await underWayOf(DELIVERED)).length === 0;
    await until(isCleared, 'the delivery to be cleared');
    // The next window's money goes the same way, by the account that stays.
    expect(await personalSeen(world.ledgers, balance)).toMatchObject({ delivery: 1, watched: 1, numbered: 0 });
    await world.checkMoneyRules(employer);
  });

  it('pays all that a standing order asks for when its threshold is reached', async () => {
    const { recipient, balance, amount } = person(0);
    const wallet = await freshWallet();
    await setStandingOrder(world.ledgers, { recipient, balance, threshold: amount, wallet });
    await world.arrived(wallet, employer, amount);
    await world.checkMoneyRules(employer);
  });

  it('pays others while a wallet that takes no tokens keeps its own withdrawal waiting, until it is redirected', async () => {
    const [frozen, foreign] = [await freshWallet(), await freshWallet()];
    await makeHostile(world, employer.mint, frozen, { frozen: true });
    await makeHostile(world, employer.mint, foreign, { owner: await freshWallet() });
    await Promise.all([request(1, frozen), request(2, foreign)]);
    await Promise.all(
      [3, 4].map(async (line) => {
        const wallet = await freshWallet();
        expect(await withdraw(world.ledgers, { ...person(line), wallet, amount: 'all' })).toBe(person(line).amount);
      }),
    );
    await world.checkMoneyRules(employer);
    /** Others may be late, too, on a busy machine. */
    const failing: number[] = [];
    for (const line of [1, 2]) {
      const [only, ...others] = await underWayOf(line);
      expect([await amountOf(line), only?.amount, others]).toEqual([0n, person(line).amount, []]);
      expect(only?.number).toBeGreaterThan(0n);
      failing.push(Number(only?.number));
    }
    const ofFailing = async (message: string) =>
      (await logged(message)).filter(({ number }) => failing.includes(number)).map(({ time }) => time);
    // A payout that fails is not sent again and again.
    await until(async () => (await ofFailing('withdrawal not paid yet')).length === 2, 'both to be found not paid');
    await rounds(world, 'withdrawal', 10);
    const notPaid = await ofFailing('withdrawal not paid yet');
    expect(notPaid).toHaveLength(2);
    for (const at of await ofFailing('withdrawal issued again'))
      expect(at - Math.min(...notPaid)).toBeGreaterThan(REISSUED_AFTER_MS);

    await Promise.all(
      [1, 2].map(async (line) => {
        const { recipient, balance, amount } = person(line);
        const wallet = await freshWallet();
        await redirectWithdrawal(world.ledgers, { recipient, balance, wallet });
        await world.arrived(wallet, employer, amount, 60_000);
        await withdrawalCleared(world.ledgers, { recipient, balance });
      }),
    );
    await world.checkMoneyRules(employer);
  });

  it('pays a withdrawal once, however often it is confirmed', async () => {
    const { balance, mint, amount } = person(5);
    const wallet = await freshWallet();
    const paidBefore = (await world.pool(employer)).paidOut;
    await request(5, wallet);
    const personal = (await personalSeen(world.ledgers, balance))?.address as Address;
    const [{ id, number } = { id: 0, number: 0n }] = await underWayOf(5);
    const confirm = async (computeUnitLimit: number) => {
      const { value: lifetime } = await world.ledgers.layer.getLatestBlockhash().send();
      const instruction = await getConfirmWithdrawalInstructionAsync({
        authority: world.authority,
        personal,
        id,
        mint,
        page: await findPageAddress(mint, number),
        proven: await lastProof(world.ledgers.layer, personal, id),
      });
      const { wire } = await buildTransaction({
        feePayer: world.authority,
        instructions: [instruction],
        lifetime,
        computeUnitLimit,
      });
      // Whatever the answer, the balance decides: the layer may be too late to look at it.
      await world.ledgers.layer
        .sendTransaction(wire, { encoding: 'base64', skipPreflight: true })
        .send()
        .catch(() => {});
    };
    let sent = 0;
    await until(async () => {
      await Promise.all(Array.from({ length: 5 }, () => confirm(300_000 + sent++)));
      return (await underWayOf(5)).length === 0;
    }, 'the withdrawal to be cleared');
    expect(sent).toBeGreaterThanOrEqual(5);
    // By the very proof that had it issued.
    const { blind } = await lastProof(world.ledgers.layer, personal, id);
    expect(blind.some((byte) => byte !== 0)).toBe(true);
    await Promise.all(Array.from({ length: 5 }, () => confirm(300_000 + sent++)));
    await rounds(world, 'withdrawal');
    expect(await walletTokens(world.ledgers, wallet, mint)).toBe(amount);
    expect((await world.pool(employer)).paidOut - paidBefore).toBe(amount);
    await world.checkMoneyRules(employer);
  });

  it('pays several withdrawals of one balance at a time, one of which takes no tokens', async () => {
    const wallets = await Promise.all(Array.from({ length: 4 }, () => freshWallet()));
    const [frozen, ...fine] = wallets as [Address, ...Address[]];
    await makeHostile(world, employer.mint, frozen, { frozen: true });
    const { recipient, balance, amount } = person(SEVERAL);
    for (const [at, wallet] of wallets.entries()) await request(SEVERAL, wallet, BigInt(at + 1) * 100n);
    await Promise.all(fine.map((wallet, at) => world.arrived(wallet, employer, BigInt(at + 2) * 100n)));
    const left = await until(async () => {
      const all = await underWayOf(SEVERAL);
      return all.length === 1 && all[0];
    }, 'all but one to be cleared');
    expect(left).toMatchObject({ id: 1, amount: 100n, wallet: frozen });
    expect(await amountOf(SEVERAL)).toBe(amount - 1_000n);
    await world.checkMoneyRules(employer);
    const wallet = await freshWallet();
    await redirectWithdrawal(world.ledgers, { recipient, balance, id: left.id, wallet });
    await world.arrived(wallet, employer, 100n, 60_000);
    await withdrawalCleared(world.ledgers, { recipient, balance });
    // The account is closed once nothing is left in it, and made anew for the next.
    await until(
      async () => (await personalOf(world.ledgers, { recipient, balance })) === undefined,
      'the account to be closed',
    );
    await request(SEVERAL, wallet, 50n);
    await world.arrived(wallet, employer, 150n);
    await world.checkMoneyRules(employer);
  });

  it('asks for a withdrawal again that the layer was too late to look at, for a while', async () => {
    const { urls } = world;
    const layer = await FaultProxy.start({ rpcUrl: urls.layerRpcUrl, wsUrl: urls.layerWsUrl }, 1);
    const wallet = await freshWallet();
    const ask = (time: Time) =>
      requestWithdrawal(connect({ ...urls, layerRpcUrl: layer.rpcUrl }, time), { ...person(6), wallet, amount: 'all' });
    layer.set({ faults: [{ kind: 'accounts-late' }] });
    await expect(ask({ ...systemTime, monotonic: () => systemTime.monotonic() * 5 })).rejects.toMatchObject({
      context: { __code: SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE },
    });
    const tries = layer.count('accounts-late');
    expect(tries).toBeGreaterThan(1);
    layer.set({ faults: [{ kind: 'accounts-late' }], times: tries + 1 });
    await ask(systemTime);
    expect(layer.count('accounts-late')).toBe(tries + 1);
    await world.arrived(wallet, employer, person(6).amount);
    await withdrawalCleared(world.ledgers, person(6));
    await world.checkMoneyRules(employer);
  });

  it('leaves a liabilities tree that divides the pool exactly', async () => {
    await world.stopCoordinator();
    const proofs = await world.checkLiabilities(employer, employer.balances);
    // A withdrawal that was paid since has a leaf, too, of which nothing is due.
    const balances = proofs.filter(({ leaf }) => leaf.kind === 'balance' && leaf.number === 0n);
    expect(balances).toHaveLength(RECIPIENTS);
  });
});
