import { must } from '@payouts/testing/litesvm/world';
import * as build from '../fixtures/build.ts';
import { FIRST, HOUR, PAYEES, TIMEOUT } from '../fixtures/constants.ts';
import * as fixtures from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { LiabilityTree } from '../harness/liabilities.ts';
import { heldOf, liabilitiesNow, readBatch, recordNow } from '../harness/read.ts';
import { batchBytes } from '../harness/write.ts';
import { addSchedule } from '../instructions/support/scenes.ts';
import { end, open, pay, payAndEnd } from '../instructions/support/window.ts';
import { type Attempt, attempt, bounded } from './attempt.ts';

/** A window whose first two are paid, as a tree has been recorded that says so: 3,000. */
function recorded() {
  const scene = done(fixtures.delegateSchedule);
  pay(scene, 0, 2);
  fixtures.recordBeforeSettlement(scene);
  return scene;
}

/** Ends a window when the time for paying is over. */
function endLate(scene: fixtures.ScheduleScene): void {
  scene.world.setTime(FIRST + BigInt(TIMEOUT));
  end(scene);
}

/** Settlements by a recording that doesn't fit them. */
export const ofSettlements: Attempt[] = [
  attempt('execution authority', 'settles a window although no tree is recorded', 'window of the recording', () => {
    const { world, schedule } = payAndEnd(done(fixtures.delegateSchedule));
    return world.base.send(build.settle(world, schedule, 0n));
  }),
  attempt(
    'execution authority',
    'settles a window by a tree from before it was opened',
    'window of the recording',
    () => {
      const scene = done(fixtures.settle);
      scene.world.setTime(FIRST + BigInt(HOUR));
      const { world, schedule } = payAndEnd(open(scene));
      return world.base.send(build.settle(world, schedule, 1n));
    },
  ),
  attempt('execution authority', 'settles a window that has paid more since the recording', 'paid as recorded', () => {
    const scene = recorded();
    const { world, schedule } = payAndEnd(scene);
    return world.base.send(build.settle(world, schedule, 0n, 3_000n));
  }),
  attempt('validator', 'brings back a window with less than it had paid at the recording', 'paid as recorded', () => {
    const { world, schedule } = recorded();
    world.setTime(FIRST + BigInt(TIMEOUT));
    must(world.sendToLayer(build.commit(world, schedule, 0n)));
    const less = batchBytes(world.layer.data(schedule.batch), { paidCount: 1, paidAmount: 1_000n });
    must(world.bringBack(schedule.batch, less));
    return world.base.send(build.settle(world, schedule, 0n, 3_000n));
  }),
  attempt('execution authority', 'records a tree that a settlement has overtaken', 'total of the root', () => {
    const { scene, instruction } = fixtures.settle.prepare();
    const { world, token, list, schedule } = scene;
    const made = recordNow(world, token, liabilitiesNow(world, list.holders, [schedule]));
    must(world.base.send(instruction));
    return world.base.send(build.recordLiabilities(world, token, made));
  }),
  attempt(
    'execution authority + recipient',
    'redeem what went back to a vault, out of a window that no tree knows',
    'returned is owed no more',
    () => {
      const { scene, instruction } = fixtures.settle.prepare();
      const { world, token } = scene;
      const holder = fixtures.holderIn(scene);
      const tree = new LiabilityTree([{ holder, amount: heldOf(world, token), number: 0n }], []);
      must(world.base.send(build.recordLiabilities(world, token, recordNow(world, token, tree))));
      must(world.base.send(instruction));
      open(addSchedule(scene, 2n, PAYEES.slice(0, 2)));
      fixtures.loseLayer(world);
      world.base.fund(holder.recipient);
      world.openTokenAccount(holder.recipient, token);
      return world.base.send(build.redeem(world, holder, tree.balance(0)));
    },
  ),
  bounded(
    'execution authority',
    'settles a window by a tree that leaves out whom it paid since, and loses the layer',
    'what was paid since stays in the pool',
    'several',
    () => {
      const scene = recorded();
      const { world, schedule, vault, token, list } = scene;
      const tree = liabilitiesNow(world, list.holders, [schedule]);
      pay(scene, 2, 2);
      endLate(scene);
      const { paidAmount } = readBatch(world, schedule);
      must(world.base.send(build.settle(world, schedule, 0n, paidAmount)));
      fixtures.loseLayer(world);
      for (const index of [0, 1]) {
        const holder = fixtures.holderIn(scene, index);
        world.base.fund(holder.recipient);
        world.openTokenAccount(holder.recipient, token);
        must(world.base.send(build.redeem(world, holder, tree.balance(index))));
      }
      const returned = world.base.tokens(vault.tokenAccount);
      return paidAmount === 10_000n && returned === 90_000n && heldOf(world, token) === 7_000n;
    },
  ),
];
