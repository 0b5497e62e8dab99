import { BatchPhase, MAX_U64 } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { must } from '@payouts/testing/litesvm/world';
import * as build from '../fixtures/build.ts';
import { PAYEES, WALLET } from '../fixtures/constants.ts';
import { actionOf } from '../fixtures/delegationProgram.ts';
import * as fixtures from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readSchedule } from '../harness/read.ts';
import { batchBytes, recordWithdrawals } from '../harness/write.ts';
import { charged, FEES, lamportsOf, openOn } from '../instructions/support/lamports.ts';
import { addSchedule, configure, crowd } from '../instructions/support/scenes.ts';
import { end, pay, payAndEnd, settlement } from '../instructions/support/window.ts';
import { type Attempt, attempt, bounded } from './attempt.ts';

/** Lamports of a page of withdrawals' numbers, which the sponsor pays. */
const PAGE_OF_NUMBERS = 8_463_360n;

/** Who would live on the operator's lamports, or on the employer's. */
export const ofLamports: Attempt[] = [
  bounded(
    'employer',
    'has a batch lent to for pages that are never made, and closes the schedule',
    'their own rent',
    'loan comes back',
    () => {
      const scene = charged(PAYEES, 1);
      const { world, schedule, vault } = scene;
      openOn(scene, 100);
      world.setTime(world.now + 30n);
      end(scene);
      must(world.base.send(settlement(scene)));
      const before = lamportsOf(world, vault.employer);
      must(world.base.send(build.closeSchedule(world, schedule)));
      const own = world.base.minimumBalance(720) + world.base.minimumBalance(320);
      return lamportsOf(world, vault.employer) - before <= own + 5n * BigInt(FEES.recipientFee);
    },
  ),
  bounded(
    'employer',
    'replaces the list of an open window, so that its recipients cost nothing',
    'both lists are prepaid',
    'fees of an open window',
    () => {
      const scene = charged();
      const { world, schedule, token } = scene;
      openOn(scene, 1);
      const list = listOf(token, crowd(4, 100n));
      must(
        world.base.send(build.updateRecipients(world, schedule, { root: list.tree.root, amount: 400n, recipients: 4 })),
      );
      payAndEnd(scene);
      must(world.base.send(settlement(scene)));
      return readSchedule(world, schedule).prepaidRecipients === 4;
    },
  ),
  bounded(
    'execution authority + validator',
    'say of known recipients that they are new in every window',
    'the fee of a recipient, once',
    'fee once a recipient',
    () => {
      const scene = charged();
      const { world, schedule } = scene;
      for (let window = 0; window < 2; window++) {
        openOn(scene, 1);
        pay(scene);
        must(world.sendToLayer(build.commit(world, schedule, readSchedule(world, schedule).window)));
        const lie = { phase: BatchPhase.Closed, newCount: 5 };
        must(world.bringBack(schedule.batch, batchBytes(world.layer.data(schedule.batch), lie)));
        must(world.base.send(settlement(scene)));
      }
      return readSchedule(world, schedule).prepaid === BigInt(FEES.windowFee);
    },
  ),
  attempt('governance', 'raises the fees between an employer’s look and signature', 'most fees', () => {
    const { scene } = fixtures.createSchedule.prepare();
    const { world, schedule, list } = scene;
    configure(world, FEES);
    return world.base.send(build.createSchedule(world, schedule, { ...fixtures.termsOf(list), maxFees: 0n }));
  }),
  bounded(
    'recipient + employer',
    'take all of their money out to fresh wallets, and keep the rent of the accounts',
    'what their employer prepaid',
    'opening fee',
    () => {
      const { world, token, vault } = done(fixtures.deposit);
      const price = 2_039_280;
      configure(world, { ...FEES, openingFee: price });
      must(world.base.send(build.setLeastOpening(world, token, 1_000n)));
      world.base.fund(token.sponsor, world.base.minimumBalance(0));
      const others = addSchedule({ world, token, vault }, 1n, PAYEES, { executions: 1 });
      const own = addSchedule({ world, token, vault }, 2n, PAYEES, { executions: 1 });
      for (const scene of [others, own]) {
        openOn(scene, 1);
        payAndEnd(scene);
        must(world.base.send(settlement(scene)));
      }
      const withdrawals = Array.from({ length: 10 }, (_, at) => ({
        number: BigInt(at) + 1n,
        amount: 1_000n,
        wallet: named(`wallet ${at}`),
      }));
      world.base.fund(token.sponsor, lamportsOf(world, token.sponsor) + PAGE_OF_NUMBERS);
      recordWithdrawals(world, token, withdrawals);
      for (const each of withdrawals) must(world.act(actionOf(build.payOut(world, token, each))));
      // Ten openings for the others' 10,500, and one for the 500 and 500 that are left of both.
      return lamportsOf(world, token.sponsor) - world.base.minimumBalance(0) >= 11n * BigInt(price);
    },
  ),
  bounded(
    'governance',
    'stops payouts to fresh wallets by the least opening',
    'they are paid',
    'both keys for openings',
    () => {
      const { world, token } = done(fixtures.settle);
      world.base.send(build.setLeastOpening(world, token, MAX_U64, { guardian: world.governance }));
      const withdrawal = { number: 1n, amount: 600n, wallet: WALLET };
      recordWithdrawals(world, token, [withdrawal]);
      return world.act(actionOf(build.payOut(world, token, withdrawal))).failure === undefined;
    },
  ),
  bounded(
    'governance + recipient',
    'take the sponsor’s lamports by the least opening, one base unit at a time',
    'nothing',
    'both keys for openings',
    () => {
      const { world, token } = done(fixtures.settle);
      must(world.base.send(build.setLeastOpening(world, token, 100n)));
      world.base.send(build.setLeastOpening(world, token, 0n, { guardian: world.governance }));
      const withdrawal = { number: 1n, amount: 1n, wallet: WALLET };
      recordWithdrawals(world, token, [withdrawal]);
      const before = lamportsOf(world, token.sponsor);
      world.act(actionOf(build.payOut(world, token, withdrawal)));
      return lamportsOf(world, token.sponsor) === before;
    },
  ),
  attempt('recipient', 'takes one base unit to a fresh wallet, and the rent of its account', 'least opening', () => {
    const { world, token } = done(fixtures.settle);
    must(world.base.send(build.setLeastOpening(world, token, 100n)));
    const withdrawal = { number: 1n, amount: 1n, wallet: WALLET };
    recordWithdrawals(world, token, [withdrawal]);
    return world.act(actionOf(build.payOut(world, token, withdrawal)));
  }),
];
