import { dueAt } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { liabilitiesAfterSettlement, type ScheduleScene, sponsor } from '../../fixtures/index.ts';
import { rangeOf } from '../../harness/list.ts';
import { readSchedule } from '../../harness/read.ts';

/** Balances that one claim can create here: the double's calls and the claim's are 64 at most. */
const MOST = 20;

/** Opens the schedule's next window as soon as it is due, with lamports for its balances. */
export function open<S extends ScheduleScene>(scene: S): S {
  const { world, schedule, list } = scene;
  const terms = readSchedule(world, schedule);
  const due = dueAt(terms);
  sponsor(world, schedule, list.leaves.length);
  if (world.now < due) world.setTime(due);
  must(world.base.send(build.delegateSchedule(world, schedule, terms.window)));
  return scene;
}

/** Claims for a range of the list, by default for all, so many at a time. */
export function pay(
  { world, schedule, list }: ScheduleScene,
  start = 0,
  count = list.leaves.length - start,
  most = MOST,
): void {
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

/** The call that settles the window whose batch is back, if no other window is open. */
export function settlement(scene: ScheduleScene) {
  const { world, schedule } = scene;
  return build.settle(world, schedule, readSchedule(world, schedule).window, liabilitiesAfterSettlement(scene));
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
