import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { liabilitiesAfterSettlement, type ScheduleScene, sponsor } from '../../fixtures/index.ts';
import { rangeOf } from '../../harness/list.ts';
import { readSchedule } from '../../harness/read.ts';

/** Balances that one claim can create here: the double's calls and the claim's are 64 at most. */
const MOST = 20;

/** Opens the schedule's next window as soon as it is due, with lamports for its balances. */
export function open({ world, schedule, list }: ScheduleScene): void {
  const { nextExecution, window } = readSchedule(world, schedule);
  sponsor(world, schedule, list.leaves.length);
  if (world.now < nextExecution) world.setTime(nextExecution);
  must(world.base.send(build.delegateSchedule(world, schedule, window)));
}

/** Claims for a range of the list, by default for all, so many at a time; the compute units that it took. */
export function pay(
  { world, schedule, list }: ScheduleScene,
  start = 0,
  count = list.leaves.length - start,
  most = MOST,
): number {
  let units = 0;
  for (let at = start; at < start + count; at += most) {
    const range = rangeOf(list, at, Math.min(most, start + count - at));
    units += must(world.sendToLayer(build.claimPayment(world, schedule, range))).computeUnits;
  }
  return units;
}

/** Commits the open window and brings its batch back. */
export function end({ world, schedule }: ScheduleScene): void {
  must(world.sendToLayer(build.commit(world, schedule, readSchedule(world, schedule).window)));
  world.deliver();
}

/** The call that settles the window whose batch is back, if no other window is open. */
export function settlement(scene: ScheduleScene) {
  const { world, schedule } = scene;
  return build.settle(world, schedule, readSchedule(world, schedule).window, liabilitiesAfterSettlement(scene));
}

/** A whole window in which all that can be paid are. */
export function complete(scene: ScheduleScene): void {
  open(scene);
  pay(scene);
  end(scene);
  must(scene.world.base.send(settlement(scene)));
}

/** A bitmap. */
export function bits(bytes: number, ...set: readonly number[]): Uint8Array {
  const bitmap = new Uint8Array(bytes);
  for (const index of set) bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (1 << (index & 7));
  return bitmap;
}

export const NOBODY = '11111111111111111111111111111111' as Address;
