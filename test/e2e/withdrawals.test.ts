import { readFile } from 'node:fs/promises';
import {
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
  fetchBalance,
  findPageAddress,
  getConfirmWithdrawalInstructionAsync,
  type Payee,
  systemTime,
  type Time,
} from '@payouts/client';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import { rounds } from '@payouts/testing/rounds';
import { freshWallet, keyOf, makeHostile, personOf, variedPayees } from '@payouts/testing/wallets';
import { lastProof } from '@payouts/testing/withdrawalProofs';
import { type Employer, until, World } from '@payouts/testing/world';
import {
  type Address,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
} from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const RECIPIENTS = 8;
/** The recipient whose leaf says that money goes on to their own wallet. */
const DELIVERED = 7;
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
  const request = (line: number, wallet: Address) =>
    requestWithdrawal(world.ledgers, { ...person(line), wallet, amount: 'all' });

  it('delivers to the wallet of a recipient whose leaf says so, who does nothing', async () => {
    const { recipient, balance, amount } = person(DELIVERED);
    await world.arrived(recipient.address, employer, amount);
    await until(async () => {
      const { data } = await fetchBalance(world.ledgers.layer, balance);
      return data.amount === 0n && data.deliver === 0n && data.pendingNumber === 0n;
    }, 'the delivery to be cleared');
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
      const { data } = await fetchBalance(world.ledgers.layer, person(line).balance);
      expect(data).toMatchObject({ amount: 0n, pendingAmount: person(line).amount });
      expect(data.pendingNumber).toBeGreaterThan(0n);
      failing.push(Number(data.pendingNumber));
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
        await withdrawalCleared(world.ledgers, balance);
      }),
    );
    await world.checkMoneyRules(employer);
  });

  it('pays a withdrawal once, however often it is confirmed', async () => {
    const { balance, mint, amount } = person(5);
    const wallet = await freshWallet();
    const paidBefore = (await world.pool(employer)).paidOut;
    await request(5, wallet);
    const { data } = await fetchBalance(world.ledgers.layer, balance);
    const confirm = async (computeUnitLimit: number) => {
      const { value: lifetime } = await world.ledgers.layer.getLatestBlockhash().send();
      const instruction = await getConfirmWithdrawalInstructionAsync({
        authority: world.authority,
        balance,
        mint,
        page: await findPageAddress(mint, data.pendingNumber),
        proven: await lastProof(world.ledgers.layer, balance),
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
      return (await fetchBalance(world.ledgers.layer, balance)).data.pendingNumber === 0n;
    }, 'the withdrawal to be cleared');
    expect(sent).toBeGreaterThanOrEqual(5);
    // By the very proof that had it issued.
    const { blind } = await lastProof(world.ledgers.layer, balance);
    expect(blind.some((byte) => byte !== 0)).toBe(true);
    await Promise.all(Array.from({ length: 5 }, () => confirm(300_000 + sent++)));
    await rounds(world, 'withdrawal');
    expect(await walletTokens(world.ledgers, wallet, mint)).toBe(amount);
    expect((await world.pool(employer)).paidOut - paidBefore).toBe(amount);
    await world.checkMoneyRules(employer);
  });

  it('asks for a withdrawal again that the layer was too late to look at, for a while', async () => {
    const { urls } = world;
    const layer = await FaultProxy.start({ rpcUrl: urls.layerRpcUrl, wsUrl: urls.layerWsUrl }, 1);
    const wallet = await freshWallet();
    const ask = (time: Time) =>
      requestWithdrawal(connect({ ...urls, layerRpcUrl: layer.rpcUrl }, time), { ...person(6), wallet, amount: 'all' });
    layer.set({ faults: [{ kind: 'accounts-late' }] });
    await expect(ask({ ...systemTime, monotonic: () => systemTime.monotonic() * 20 })).rejects.toMatchObject({
      context: { __code: SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE },
    });
    const tries = layer.count('accounts-late');
    expect(tries).toBeGreaterThan(1);
    layer.set({ faults: [{ kind: 'accounts-late' }], times: tries + 1 });
    await ask(systemTime);
    expect(layer.count('accounts-late')).toBe(tries + 1);
    await world.arrived(wallet, employer, person(6).amount);
    await withdrawalCleared(world.ledgers, person(6).balance);
    await world.checkMoneyRules(employer);
  });

  it('leaves a liabilities tree that divides the pool exactly', async () => {
    await world.stopCoordinator();
    const proofs = await world.checkLiabilities(employer, employer.balances);
    expect(proofs).toHaveLength(RECIPIENTS);
  });
});
