import { dueAt } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { personalRents, recordBeforeSettlement, rentFor, type ScheduleScene, sponsor } from '../../fixtures/index.ts';
import { pagesOf, rangeOf } from '../../harness/list.ts';
import { readBatch, readSchedule } from '../../harness/read.ts';

/** Claims of one transaction. */
const MOST = 250;
/** Pages that one call makes here: the double's calls and the call's own are 64 at most. */
const MOST_PAGES = 20;

/** Opens the schedule's next window as soon as it is due, with lamports for its pages and those of its bitmap, which are made, and for personal accounts. */
export function open<S extends ScheduleScene>(scene: S): S {
  const { world, schedule, list } = scene;
  const terms = readSchedule(world, schedule);
  const due = dueAt(terms);
  sponsor(world, schedule, rentFor(list));
  if (world.now < due) world.setTime(due);
  must(world.base.send(build.delegateSchedule(world, schedule, terms.window)));
  makePages(scene);
  must(world.sendToLayer(build.fundCounter(world, schedule, personalRents(list.holders.length))));
  return scene;
}

/** Makes the pages of the list's balances and of its bitmap that are not there. */
export function makePages({ world, schedule, list }: ScheduleScene): void {
  const { recipients, bitmapPages } = readBatch(world, schedule);
  const numbers = Array.from({ length: Math.ceil(recipients / 65_536) }, (_, number) => number).filter(
    (number) => ((bitmapPages >> number) & 1) === 0,
  );
  if (numbers.length > 0) must(world.sendToLayer(build.openBitmap(world, schedule, numbers)));
  const missing = pagesOf(list.holders).filter(({ address }) => !world.layer.keeps(address));
  for (let at = 0; at < missing.length; at += MOST_PAGES) {
    must(world.sendToLayer(build.openPages(world, schedule, missing.slice(at, at + MOST_PAGES))));
  }
}

/** Claims for a range of the list, by default for all, so many at a time. */
export function pay(scene: ScheduleScene, start = 0, count = scene.list.leaves.length - start, most = MOST): void {
  const { world, schedule, list } = scene;
  makePages(scene);
  for (let at = start; at < start + count; at += most) {
    const range = rangeOf(list, at, Math.min(most, start + count - at));
    must(world.sendToLayer(build.claimPayment(world, schedule, range)));
  }
}

/** Commits the open window and brings its batch back. */
export function end({ world, schedule }: ScheduleScene): void {
  must(world.sendToLayer(build.commit(world, schedule, readSchedule(world, schedule).window)));
  world.deliver();
}

/** Pays all of the open window and brings its batch back. */
export function payAndEnd<S extends ScheduleScene>(scene: S): S {
  pay(scene);
  end(scene);
  return scene;
}

/** Records what is owed, and gives the call that settles the window whose batch is back, if no other window is open. */
export function settlement(scene: ScheduleScene) {
  const { world, schedule } = scene;
  recordBeforeSettlement(scene);
  return build.settle(world, schedule, readSchedule(world, schedule).window);
}

/** Pays all of the open window, brings its batch back and settles it. */
export function finish<S extends ScheduleScene>(scene: S): S {
  payAndEnd(scene);
  must(scene.world.base.send(settlement(scene)));
  return scene;
}

/** A whole window in which all that can be paid are. */
export const complete = <S extends ScheduleScene>(scene: S): S => finish(open(scene));

/** A bitmap. */
export function bits(bytes: number, ...set: readonly number[]): Uint8Array {
  const bitmap = new Uint8Array(bytes);
  for (const index of set) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (1 << (index & 7));
  return bitmap;
}

export const NOBODY = '11111111111111111111111111111111' as Address;
