import type { BaseAction } from '@payouts/testing/litesvm/delegation';
import type { Holder } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import type { OrderTerms } from '../../fixtures/build.ts';
import * as build from '../../fixtures/build.ts';
import { holderIn, type ScheduleScene } from '../../fixtures/index.ts';
import { liabilitiesNow, recordNow } from '../../harness/read.ts';

/** The balance of a place in the list, whose recipient can ask for something: their personal account is made where it is missing. */
export function askerIn(scene: ScheduleScene, index = 0): Holder {
  const holder = holderIn(scene, index);
  const { world } = scene;
  if (!world.layer.keeps(holder.personal)) must(world.sendToLayer(build.openPersonal(world, holder)));
  return holder;
}

/** A recipient asks for an amount. */
export function request(scene: ScheduleScene, index: number, amount: bigint, wallet: Address, dueAt?: bigint): void {
  const call = build.requestWithdrawal(askerIn(scene, index), amount, wallet, undefined, dueAt);
  must(scene.world.sendToLayer(call));
}

/** A recipient sets a standing order. */
export function order(
  scene: ScheduleScene,
  index: number,
  threshold: bigint,
  wallet: Address,
  terms: OrderTerms = {},
): void {
  must(scene.world.sendToLayer(build.setStandingOrder(askerIn(scene, index), threshold, wallet, undefined, terms)));
}

/** Records all balances and no open window, so that every withdrawal under way is covered. */
export function cover({ world, token, list }: ScheduleScene): void {
  must(
    world.base.send(
      build.recordLiabilities(world, token, recordNow(world, token, liabilitiesNow(world, list.holders, []))),
    ),
  );
}

/** The layer issues a recipient's withdrawal, or confirms it; the action that goes to the base, if there is one. */
export function confirm(scene: ScheduleScene, index: number, number: bigint): BaseAction | undefined {
  must(scene.world.sendToLayer(build.confirmWithdrawal(scene.world, holderIn(scene, index), number)));
  return scene.world.actions.shift();
}

/** The layer issues a recipient's withdrawal, and the base pays it. */
export function payIssued(scene: ScheduleScene, index: number, number: bigint): void {
  const action = confirm(scene, index, number);
  if (action === undefined) throw new Error('nothing was issued');
  must(scene.world.act(action));
}

/** A recipient's withdrawal, from the request to the payment on the base. */
export function withdrawTo(scene: ScheduleScene, index: number, number: bigint, amount: bigint, wallet: Address): void {
  request(scene, index, amount, wallet);
  cover(scene);
  payIssued(scene, index, number);
}
