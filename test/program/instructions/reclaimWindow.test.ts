import { SchedulePhase, ScheduleStatus } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST, WITHOUT_LEAF } from '../fixtures/constants.ts';
import { createSchedule, delegateSchedule, holderIn, reclaimWindow, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { LiabilityTree } from '../harness/liabilities.ts';
import { liabilitiesNow, readSchedule, readVault } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { lose, lost, recordTree } from './support/loss.ts';
import { declare } from './support/scenes.ts';
import { open, pay, payAndEnd } from './support/window.ts';

type Scene = ReturnType<typeof reclaimWindow.prepare>['scene'];
type Leaf = ReturnType<LiabilityTree['window']>;

const EMPTY = new LiabilityTree([], []);

/** Ends the open window by its leaf, changed. */
const reclaim = ({ schedule, tree }: Scene, change: Partial<Leaf> = {}) =>
  build.reclaimWindow(schedule, { ...tree.window(schedule.address), ...change });

/** A lost layer whose recorded tree says whatever is wanted of what the window has paid. */
function claiming(paid: bigint): Scene {
  const scene = done(delegateSchedule);
  const tree = new LiabilityTree([], [{ schedule: scene.schedule.address, window: 0n, paid }]);
  recordTree(scene, tree);
  return lost(scene, tree);
}

describe('reclaim_window', () => {
  it('ends the window by its leaf: what was paid counts, the rest returns, the schedule is cancelled', () => {
    const { scene, changes, events } = effectIn(reclaimWindow);
    expect(changes).toEqual({
      schedule: {
        status: [ScheduleStatus.Active, ScheduleStatus.Cancelled],
        phase: [SchedulePhase.Open, SchedulePhase.Idle],
        window: [0n, 1n],
        executionsLeft: [3, 0],
        openedAt: [FIRST, 0n],
        windowAmount: [10_500n, 0n],
        windowRecipients: [5, 0],
        windowOpening: [1n, 0n],
        paidTotal: [0n, 3_000n],
      },
      vault: { reserved: [21_000n, 0n], open: [10_500n, 0n], paid: [0n, 3_000n] },
      vaultToken: { tokens: [89_500n, 97_000n] },
      pool: { returned: [0n, 7_500n], open: [10_500n, 0n], closings: [0n, 1n], liabilitiesLeft: [10_500n, 3_000n] },
      poolToken: { tokens: [10_500n, 3_000n] },
    });
    expect(events).toEqual([
      { __kind: 'WindowReclaimed', schedule: scene.schedule.address, window: 0n, returned: 7_500n },
    ]);
  });

  it('returns a window whole that no recorded tree can know of', () => {
    const scene = done(delegateSchedule);
    pay(scene);
    const after = lost(scene, EMPTY);
    const { changes, events } = effectOf(reclaimWindow, after, build.reclaimWindow(scene.schedule, WITHOUT_LEAF));
    expect(changes.schedule).not.toHaveProperty('paidTotal');
    expect(changes.vault).toEqual({ reserved: [21_000n, 0n], open: [10_500n, 0n] });
    expect(changes.vaultToken).toEqual({ tokens: [89_500n, 100_000n] });
    expect(changes.pool).toEqual({ returned: [0n, 10_500n], open: [10_500n, 0n], closings: [0n, 1n] });
    expect(changes.poolToken).toEqual({ tokens: [10_500n, 0n] });
    expect(events).toMatchObject([{ window: 0n, returned: 10_500n }]);
  });

  it('returns a later window whole when the last recording was before it', () => {
    const scene = open(done(settle));
    pay(scene);
    const { world, schedule, list } = scene;
    const after = lost(scene, liabilitiesNow(world, list.holders.slice(0, 4), []));
    expect(readSchedule(world, schedule).windowOpening).toBe(2n);
    const { changes, events } = effectOf(reclaimWindow, after, build.reclaimWindow(schedule, WITHOUT_LEAF));
    expect(changes.schedule).toMatchObject({ window: [1n, 2n], windowOpening: [2n, 0n], executionsLeft: [2, 0] });
    expect(changes.poolToken).toEqual({ tokens: [20_500n, 10_000n] });
    expect(events).toMatchObject([{ window: 1n, returned: 10_500n }]);
  });

  it('moves no tokens for a window that has paid everything', () => {
    const scene = done(delegateSchedule);
    pay(scene);
    const after = lose(scene, [scene.schedule]);
    const { changes, events } = effectOf(reclaimWindow, after, reclaim(after));
    expect(Object.keys(changes)).toEqual(['schedule', 'vault', 'pool']);
    expect(changes.vault).toEqual({ reserved: [21_000n, 0n], open: [10_500n, 0n], paid: [0n, 10_500n] });
    expect(changes.pool).toEqual({ open: [10_500n, 0n], closings: [0n, 1n] });
    expect(events).toMatchObject([{ returned: 0n }]);
  });

  it('ends a window whose batch is back and not settled', () => {
    const scene = payAndEnd(done(delegateSchedule));
    const after = lost(scene, EMPTY);
    const { changes } = effectOf(reclaimWindow, after, build.reclaimWindow(scene.schedule, WITHOUT_LEAF));
    expect(changes.vaultToken).toEqual({ tokens: [89_500n, 100_000n] });
  });

  it.each([
    ['paused', build.pauseSchedule, 21_000n],
    ['cancelled', build.cancelSchedule, 0n],
  ])('ends the window of a schedule that is %s', (_, stop, reserved) => {
    const scene = done(delegateSchedule);
    must(scene.world.base.send(stop(scene.schedule)));
    const after = lose(scene, [scene.schedule]);
    expect(readVault(scene.world, scene.vault).reserved).toBe(reserved);
    effectOf(reclaimWindow, after, reclaim(after));
    expect(readSchedule(scene.world, scene.schedule)).toMatchObject({ status: 2, executionsLeft: 0, phase: 0 });
    expect(readVault(scene.world, scene.vault)).toMatchObject({ reserved: 0n, open: 0n });
  });

  it('lets the employer take out everything that is not paid', () => {
    const { scene, instruction } = reclaimWindow.prepare();
    effectOf(reclaimWindow, scene, instruction);
    const { world, vault } = scene;
    expect(world.base.send(build.withdraw(vault, 97_001n)).failure).toBe('InsufficientAvailable');
    must(world.base.send(build.withdraw(vault, 97_000n)));
    expect(world.base.tokens(vault.tokenAccount)).toBe(0n);
  });

  it('leaves a schedule that is closed with its batch, if that comes back after all', () => {
    const { scene, instruction } = reclaimWindow.prepare();
    effectOf(reclaimWindow, scene, instruction);
    const { world, schedule, vault } = scene;
    must(world.bringBack(schedule.batch));
    must(world.base.send(build.closeSchedule(world, schedule)));
    expect(world.base.account(schedule.batch)).toBeUndefined();
    expect(readVault(world, vault).schedules).toBe(0);
  });

  it('needs an open window, and ends it once', () => {
    const { scene, instruction } = reclaimWindow.prepare();
    effectOf(reclaimWindow, scene, instruction);
    expect(refusal(reclaimWindow, scene, instruction)).toBe('WindowNotOpen');
    const idle = lost(done(createSchedule), EMPTY);
    expect(refusal(reclaimWindow, idle, build.reclaimWindow(idle.schedule, WITHOUT_LEAF))).toBe('WindowNotOpen');
  });

  describe('refuses', () => {
    const { scene } = reclaimWindow.prepare();
    const leaf = scene.tree.window(scene.schedule.address);
    it.each<[string, Partial<Leaf>, string]>([
      ['less than was paid', { paid: 2_999n }, 'InvalidProof'],
      ['more than was paid', { paid: 3_001n }, 'InvalidProof'],
      ['another blind', { blind: new Uint8Array(16) }, 'InvalidProof'],
      ['another place', { index: 0 }, 'InvalidProof'],
      ['a hash too few', { proof: leaf.proof.slice(1) }, 'InvalidProof'],
      ['a hash too many', { proof: [...leaf.proof, new Uint8Array(32)] }, 'InvalidProof'],
      ['no proof although a tree was recorded', WITHOUT_LEAF, 'InvalidProof'],
      ['a place beyond the tree', { index: 3 }, 'InvalidRange'],
    ])('%s', (_, change, error) => {
      expect(refusal(reclaimWindow, scene, reclaim(scene, change))).toBe(error);
    });
  });

  it('refuses the leaf of another window of the schedule', () => {
    const scene = open(done(settle));
    const { world, schedule, list } = scene;
    const tree = new LiabilityTree(liabilitiesNow(world, list.holders, []).balances, [
      { schedule: schedule.address, window: 0n, paid: 0n },
    ]);
    recordTree(scene, tree);
    const after = lost(scene, tree);
    expect(refusal(reclaimWindow, after, reclaim(after))).toBe('InvalidProof');
  });

  it('takes nothing as paid, nor a proof, where no tree can know of the window', () => {
    const scene = lost(done(delegateSchedule), EMPTY);
    const { schedule } = scene;
    for (const change of [{ paid: 1n }, { paid: 10_500n }, { proof: [new Uint8Array(32)] }]) {
      const call = build.reclaimWindow(schedule, { ...WITHOUT_LEAF, ...change });
      expect(refusal(reclaimWindow, scene, call)).toBe('InvalidProof');
    }
  });

  it('refuses a recorded leaf that has paid more than the window’s amount', () => {
    const above = claiming(10_501n);
    expect(refusal(reclaimWindow, above, reclaim(above))).toBe('BatchOutOfBounds');
    const at = claiming(10_500n);
    expect(effectOf(reclaimWindow, at, reclaim(at)).changes.vault).toMatchObject({ paid: [0n, 10_500n] });
  });

  it('refuses when others have redeemed what would return', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    const holder = holderIn(scene);
    const tree = new LiabilityTree(
      [{ holder, amount: 1n, number: 0n }],
      [{ schedule: schedule.address, window: 0n, paid: 0n }],
    );
    recordTree(scene, tree);
    const after = lost(scene, tree);
    must(world.base.send(build.redeem(world, holder, tree.balance(0))));
    expect(refusal(reclaimWindow, after, reclaim(after))).toBe('PoolShortfall');
  });

  it('waits for the loss, declared and final to the second', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    const call = build.reclaimWindow(schedule, WITHOUT_LEAF);
    const before = { ...scene, tree: EMPTY };
    expect(refusal(reclaimWindow, before, call)).toBe('LayerNotLost');
    declare(world);
    world.setTime(world.now + 86_399n);
    expect(refusal(reclaimWindow, before, call)).toBe('LayerNotLost');
    world.setTime(world.now + 1n);
    effectOf(reclaimWindow, before, call);
  });
});
