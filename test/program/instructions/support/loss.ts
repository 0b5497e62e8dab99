import type { ScheduleScene } from '../../fixtures/createSchedule.ts';
import { buildRecordOwed } from '../../fixtures/recordOwed.ts';
import { type LossScene, loseLayer } from '../../fixtures/redeem.ts';
import type { Holder, Schedule } from '../../harness/handles.ts';
import type { OwedTree } from '../../harness/owed.ts';
import { heldOf, owedNow, recordNow } from '../../harness/read.ts';
import { must } from '../../harness/world.ts';

/** Records a tree, honest or not, as all that the pool holds. */
export function recordTree({ world, token }: ScheduleScene, tree: OwedTree): void {
  must(world.base.send(buildRecordOwed(world, token, recordNow(world, token, tree, heldOf(world, token)))));
}

/** Records what is, then loses the layer for good. Every recipient has a token account from then on. */
export function lose(scene: ScheduleScene, open: readonly Schedule[] = []): LossScene {
  const { world, list } = scene;
  const tree = owedNow(world, list.holders, open);
  recordTree(scene, tree);
  return lost(scene, tree);
}

/** Loses the layer for good; the tree given was recorded last. */
export function lost(scene: ScheduleScene, tree: OwedTree): LossScene {
  const { world, token, list } = scene;
  for (const { recipient } of list.holders as readonly Holder[]) {
    world.base.fund(recipient);
    world.openTokenAccount(recipient, token);
  }
  loseLayer(world);
  return { ...scene, tree };
}
