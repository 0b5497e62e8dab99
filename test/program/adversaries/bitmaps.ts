import { BatchPhase } from '@payouts/client';
import { type BitmapPage, bitmapPageOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import * as build from '../fixtures/build.ts';
import { FIRST, TIMEOUT } from '../fixtures/constants.ts';
import * as fixtures from '../fixtures/index.ts';
import { anotherBump } from '../harness/bitmap.ts';
import { done } from '../harness/fixture.ts';
import { rangeOf } from '../harness/list.ts';
import { balanceOf, bitmapPages, readBatch } from '../harness/read.ts';
import { batchBytes, placeInLayer } from '../harness/write.ts';
import { BITS, longList } from '../instructions/support/longList.ts';
import { addSchedule } from '../instructions/support/scenes.ts';
import { open, pay, settlement } from '../instructions/support/window.ts';
import { type Attempt, attempt, bounded } from './attempt.ts';

/** The first of a list is paid once more, by another page of bits. */
const again = ({ world, schedule, list }: fixtures.ScheduleScene, { address }: Pick<BitmapPage, 'address'>) =>
  world.sendToLayer(build.claimPayment(world, schedule, rangeOf(list, 0, 1), address));

/** A window whose bitmap has two pages, both of which are made. */
function made(...held: readonly number[]) {
  const scene = longList(...held);
  const { world, schedule } = scene;
  must(world.sendToLayer(build.openBitmap(world, schedule, [0, 1])));
  const [first, second] = bitmapPages(world, schedule) as [BitmapPage, BitmapPage];
  return { ...scene, first, second };
}

/** Who would have somebody paid twice, or say otherwise who is paid. */
export const ofBitmaps: Attempt[] = [
  bounded(
    'execution authority',
    'pays somebody twice, by a second page of bits in which nobody is paid',
    'they are paid once',
    'one page of a number',
    () => {
      const scene = done(fixtures.openPages);
      const { world, schedule } = scene;
      pay(scene, 0, 1);
      const other = anotherBump(schedule, 0n, 0);
      must(world.sendToLayer(build.openBitmapPages(world, schedule, [other])));
      again(scene, other);
      return balanceOf(world, fixtures.holderIn(scene)) === 1_000n;
    },
  ),
  attempt(
    'execution authority',
    'pays somebody twice, by another schedule’s page of bits',
    'bits of the schedule',
    () => {
      const scene = done(fixtures.openPages);
      pay(scene, 0, 1);
      const other = open(addSchedule(scene, 2n));
      return again(scene, bitmapPageOf(other.schedule, 0n, 0));
    },
  ),
  attempt('execution authority', 'pays somebody twice, by a former window’s page of bits', 'bits of the window', () => {
    const scene = done(fixtures.openPages);
    const { world, schedule } = scene;
    world.setTime(FIRST + BigInt(TIMEOUT));
    // The layer lets go of the batch before it is committed, and keeps the page.
    must(world.bringBack(schedule.batch));
    must(world.base.send(settlement(scene)));
    open(scene);
    pay(scene, 0, 1);
    return again(scene, bitmapPageOf(schedule, 0n, 0));
  }),
  attempt('execution authority', 'pays somebody twice, by the bits of others of the list', 'bits of the range', () => {
    const { world, schedule, claim, first } = made();
    must(world.sendToLayer(build.claimPayment(world, schedule, claim(BITS, 1))));
    return world.sendToLayer(build.claimPayment(world, schedule, claim(BITS, 1), first.address));
  }),
  attempt('execution authority', 'pays a range beyond its page, which has no bits for it', 'range in one page', () => {
    const { world, schedule, claim, first } = made();
    return world.sendToLayer(build.claimPayment(world, schedule, claim(BITS - 1, 2), first.address));
  }),
  bounded(
    'execution authority',
    'pays somebody who is held back, beyond the first page',
    'they are left out',
    'bits of who is held back',
    () => {
      const { world, schedule, claim } = made(BITS + 1);
      must(world.sendToLayer(build.claimPayment(world, schedule, claim(BITS, 4))));
      return readBatch(world, schedule).paidCount === 3;
    },
  ),
  attempt('execution authority', 'commits a window without saying who is paid', 'all pages of the bitmap', () => {
    const { world, schedule } = done(fixtures.claimPayment);
    return world.sendToLayer(build.commit(world, schedule, 0n, []));
  }),
  attempt('execution authority', 'says by the order of the pages that others were paid', 'order of the pages', () => {
    const { world, schedule, first, second } = made();
    world.setTime(FIRST + BigInt(TIMEOUT));
    return world.sendToLayer(build.commit(world, schedule, 0n, [second.address, first.address]));
  }),
  attempt('execution authority', 'has a batch pay for bits of nobody', 'bits of the list', () => {
    const { world, schedule } = done(fixtures.openBitmap);
    return world.sendToLayer(build.openBitmap(world, schedule, [1]));
  }),
  attempt('execution authority', 'has a batch pay for bits whose window is over', 'open batch', () => {
    const { scene, instruction } = fixtures.openBitmap.prepare();
    placeInLayer(scene.world, scene.schedule.batch, (data) => batchBytes(data, { phase: BatchPhase.Closed }));
    return scene.world.sendToLayer(instruction);
  }),
];
