import type { Holder, Schedule } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import * as build from '../../fixtures/build.ts';
import { type LossScene, loseLayer, type ScheduleScene } from '../../fixtures/index.ts';
import type { LiabilityTree } from '../../harness/liabilities.ts';
import { heldOf, liabilitiesNow, recordNow } from '../../harness/read.ts';

/** Records a tree, honest or not, as all that the pool holds. */
export function recordTree({ world, token }: ScheduleScene, tree: LiabilityTree): void {
  must(world.base.send(build.recordLiabilities(world, token, recordNow(world, token, tree, heldOf(world, token)))));
}

/** Records what is, then loses the layer for good. Every recipient has a token account from then on. */
export function lose(scene: ScheduleScene, open: readonly Schedule[] = []): LossScene {
  const { world, list } = scene;
  const tree = liabilitiesNow(world, list.holders, open);
  recordTree(scene, tree);
  return lost(scene, tree);
}

/** Loses the layer for good; the tree given was recorded last. */
export function lost(scene: ScheduleScene, tree: LiabilityTree): LossScene {
  const { world, token, list } = scene;
  for (const { recipient } of list.holders as readonly Holder[]) {
    world.base.fund(recipient);
    world.openTokenAccount(recipient, token);
  }
  loseLayer(world);
  return { ...scene, tree };
}
