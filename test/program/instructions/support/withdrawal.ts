import type { BaseAction } from '@payouts/testing/litesvm/delegation';
import { must } from '@payouts/testing/litesvm/world';
import { buildConfirmWithdrawal } from '../../fixtures/confirmWithdrawal.ts';
import type { ScheduleScene } from '../../fixtures/createSchedule.ts';
import { buildRecordLiabilities } from '../../fixtures/recordLiabilities.ts';
import { buildRequestWithdrawal, holderIn } from '../../fixtures/requestWithdrawal.ts';
import { buildSetStandingOrder, type Terms } from '../../fixtures/setStandingOrder.ts';
import { liabilitiesNow, recordNow } from '../../harness/read.ts';

type Wallet = Parameters<typeof buildRequestWithdrawal>[2];

/** A recipient asks for an amount. */
export function request(scene: ScheduleScene, index: number, amount: bigint, wallet: Wallet): void {
  must(scene.world.sendToLayer(buildRequestWithdrawal(holderIn(scene, index), amount, wallet)));
}

/** A recipient sets a standing order. */
export function order(scene: ScheduleScene, index: number, threshold: bigint, wallet: Wallet, terms: Terms = {}): void {
  must(scene.world.sendToLayer(buildSetStandingOrder(holderIn(scene, index), threshold, wallet, undefined, terms)));
}

/** Records all balances and no open window, so that every withdrawal under way is covered. */
export function cover({ world, token, list }: ScheduleScene): void {
  must(
    world.base.send(
      buildRecordLiabilities(world, token, recordNow(world, token, liabilitiesNow(world, list.holders, []))),
    ),
  );
}

/** The layer issues a recipient's withdrawal, or confirms it; the action that goes to the base, if there is one. */
export function confirm(scene: ScheduleScene, index: number, number: bigint): BaseAction | undefined {
  must(scene.world.sendToLayer(buildConfirmWithdrawal(scene.world, holderIn(scene, index), number)));
  return scene.world.actions.shift();
}

/** A recipient's withdrawal, from the request to the payment on the base. */
export function withdrawTo(scene: ScheduleScene, index: number, number: bigint, amount: bigint, wallet: Wallet): void {
  request(scene, index, amount, wallet);
  cover(scene);
  const action = confirm(scene, index, number);
  if (action === undefined) throw new Error('nothing was issued');
  must(scene.world.act(action));
}
