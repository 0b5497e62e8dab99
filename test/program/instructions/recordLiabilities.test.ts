import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { AFTER_ONE, FIRST, HOUR, TIMEOUT, WALLET } from '../fixtures/constants.ts';
import {
  createSchedule,
  delegateSchedule,
  holderIn,
  recordLiabilities,
  requestWithdrawal,
  settle,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { LiabilityTree } from '../harness/liabilities.ts';
import { liabilitiesNow, readPool, recordNow } from '../harness/read.ts';
import { patchPool } from '../harness/write.ts';
import { effectOf, refusal } from './support/call.ts';
import { declare } from './support/scenes.ts';
import { open, pay } from './support/window.ts';
import { withdrawTo } from './support/withdrawal.ts';

type Scene = ReturnType<typeof recordLiabilities.prepare>['scene'];

/** What an honest coordinator would record, changed. */
function record({ world, token, list }: Scene, change: object = {}) {
  return build.recordLiabilities(world, token, {
    ...recordNow(world, token, liabilitiesNow(world, list.holders, [])),
    ...change,
  });
}

describe('record_liabilities', () => {
  it('records the tree that knows of the withdrawals asked for since', () => {
    const { scene, instruction } = recordLiabilities.prepare();
    const { world, token, list } = scene;
    const root = (coveredTo: bigint, tree: LiabilityTree) => tree.record(2n, 10_000n, AFTER_ONE, coveredTo).root;
    const { world: settled, schedule } = settle.prepare().scene;
    const before = liabilitiesNow(settled, list.holders, [schedule]);
    const after = liabilitiesNow(world, list.holders, []);
    expect(after.balances[0]).toMatchObject({ amount: 400n, number: 0n });
    expect(after.balances.at(-1)).toMatchObject({ amount: 600n, number: 1n });
    world.setTime(world.now + 5n);
    const { changes, events } = effectOf(recordLiabilities, scene, instruction);
    expect(changes).toEqual({
      pool: {
        liabilitiesRoot: [root(1n, before), root(2n, after)],
        coveredTo: [1n, 2n],
        withdrawalsRoot: [new Uint8Array(32), after.withdrawals.root],
        withdrawalLeaves: [0, 1],
        liabilitiesTotal: [10_500n, 10_000n],
        sequence: [1n, 2n],
        recordedAt: [FIRST + BigInt(TIMEOUT), FIRST + BigInt(TIMEOUT) + 5n],
      },
    });
    expect(events).toEqual([
      {
        __kind: 'LiabilitiesRecorded',
        mint: token.mint,
        sequence: 2n,
        root: root(2n, after),
        total: 10_000n,
        coveredTo: 2n,
      },
    ]);
  });

  it('records what an open window has paid, beside the balances', () => {
    const scene = done(delegateSchedule);
    const { world, token, schedule, list } = scene;
    pay(scene, 0, 2);
    const tree = liabilitiesNow(world, list.holders, [schedule]);
    expect(tree.windows).toEqual([{ schedule: schedule.address, window: 0n, paid: 3_000n }]);
    const liabilities = recordNow(world, token, tree);
    const { changes } = effectOf(recordLiabilities, scene, build.recordLiabilities(world, token, liabilities));
    expect(changes.pool).toEqual({
      liabilityLeaves: [0, 3],
      liabilitiesRoot: [new Uint8Array(32), liabilities.root],
      liabilitiesTotal: [0n, 10_500n],
      sequence: [0n, 1n],
      recordedAt: [0n, FIRST],
      recordedIn: [0n, 10_500n],
      recordedOpenings: [0n, 1n],
      liabilitiesLeft: [0n, 10_500n],
    });
  });

  it('records an empty tree while the pool holds nothing', () => {
    const scene = done(createSchedule);
    const { world, token } = scene;
    const liabilities = new LiabilityTree([], []).record(1n, 0n, { openings: 0n, movedIn: 0n }, 1n);
    const { changes } = effectOf(recordLiabilities, scene, build.recordLiabilities(world, token, liabilities));
    expect(changes.pool).toEqual({ sequence: [0n, 1n], recordedAt: [0n, world.now] });
  });

  it('follows what the pool has paid out', () => {
    const scene = done(settle);
    withdrawTo(scene, 0, 1n, 600n, WALLET);
    expect(refusal(recordLiabilities, scene, record(scene, { total: 10_000n }))).toBe('LiabilitiesMismatch');
    const { changes } = effectOf(recordLiabilities, scene, record(scene));
    expect(changes.pool).toMatchObject({ liabilitiesTotal: [10_000n, 9_400n], sequence: [2n, 3n] });
  });

  it('records each tree once, and none that another has overtaken', () => {
    const { scene, instruction } = recordLiabilities.prepare();
    effectOf(recordLiabilities, scene, instruction);
    expect(refusal(recordLiabilities, scene, instruction)).toBe('StaleRoot');
    expect(refusal(recordLiabilities, scene, record(scene, { sequence: 4n }))).toBe('StaleRoot');
    effectOf(recordLiabilities, scene, record(scene, { sequence: 3n }));
  });

  it('records a tree that was made before the last window was opened, and none that knows less than the one before', () => {
    const scene = done(recordLiabilities);
    const made = record(scene, { sequence: 3n });
    scene.world.setTime(FIRST + BigInt(HOUR));
    open(scene);
    const { movedIn } = readPool(scene.world, scene.token);
    expect(movedIn).toBe(21_000n);
    const { changes } = effectOf(recordLiabilities, scene, made);
    expect(changes.pool).toEqual({ sequence: [2n, 3n], recordedAt: [expect.anything(), FIRST + BigInt(HOUR)] });
    const windows = liabilitiesNow(scene.world, scene.list.holders, [scene.schedule]);
    const { changes: later } = effectOf(
      recordLiabilities,
      scene,
      build.recordLiabilities(scene.world, scene.token, recordNow(scene.world, scene.token, windows)),
    );
    expect(later.pool).toMatchObject({ recordedIn: [10_500n, 21_000n], liabilitiesTotal: [10_000n, 20_500n] });
    expect(refusal(recordLiabilities, scene, record(scene, { ...AFTER_ONE, total: 10_000n }))).toBe('StaleRoot');
  });

  it.each([
    ['more than has moved in', { movedIn: 10_501n, total: 10_001n }],
    ['more windows than were opened', { openings: 2n }],
    ['all windows, and not all that they brought', { movedIn: 10_499n, total: 10_499n }],
    ['all that windows brought, and not all of them', { openings: 0n }],
    ['less than its total', { movedIn: 10_500n - 1n }],
  ])('refuses a tree that knows %s', (_, change) => {
    const scene = done(delegateSchedule);
    const { world, token, list, schedule } = scene;
    const honest = recordNow(world, token, liabilitiesNow(world, list.holders, [schedule]));
    expect(refusal(recordLiabilities, scene, build.recordLiabilities(world, token, { ...honest, ...change }))).toBe(
      'LiabilitiesMismatch',
    );
  });

  it('covers no number that is neither paid nor in the withdrawals tree, and takes back what covered too many', () => {
    const scene = done(recordLiabilities);
    const tooFar = 'InvalidCoverage';
    expect(refusal(recordLiabilities, scene, record(scene, { coveredTo: 2n ** 64n - 1n }))).toBe(tooFar);
    expect(refusal(recordLiabilities, scene, record(scene, { coveredTo: 3n }))).toBe(tooFar);
    // As far as a key that lies can bring it.
    const most = { withdrawalLeaves: 4_096, coveredTo: 4_097n };
    expect(refusal(recordLiabilities, scene, record(scene, { ...most, coveredTo: 4_098n }))).toBe(tooFar);
    expect(refusal(recordLiabilities, scene, record(scene, { ...most, withdrawalLeaves: 4_097 }))).toBe(tooFar);
    effectOf(recordLiabilities, scene, record(scene, most));
    const lost = build.requestWithdrawal(holderIn(scene, 1), 5n, WALLET);
    expect(refusal(requestWithdrawal, scene, lost)).toBe('LayerStateLost');
    const { changes } = effectOf(recordLiabilities, scene, record(scene, {}));
    expect(changes.pool).toEqual({ sequence: [3n, 4n], coveredTo: [4_097n, 2n], withdrawalLeaves: [4_096, 1] });
    effectOf(requestWithdrawal, scene, lost);
  });

  it('covers every number that was paid', () => {
    const { scene } = recordLiabilities.prepare();
    patchPool(scene.world, scene.token, { highestWithdrawal: 7n });
    expect(refusal(recordLiabilities, scene, record(scene, { coveredTo: 7n }))).toBe('InvalidCoverage');
    effectOf(recordLiabilities, scene, record(scene, { coveredTo: 8n }));
  });

  it.each([
    ['a base unit short', { total: 9_999n }],
    ['a base unit too much', { total: 10_001n }],
    ['without leaves', { leaves: 0 }],
    ['empty although the pool holds something', { total: 0n, leaves: 0 }],
  ])('refuses a tree that is %s', (_, change) => {
    const { scene } = recordLiabilities.prepare();
    expect(refusal(recordLiabilities, scene, record(scene, change))).toBe('LiabilitiesMismatch');
  });

  it('refuses to go beyond the last sequence number', () => {
    const { scene } = recordLiabilities.prepare();
    patchPool(scene.world, scene.token, { sequence: 2n ** 64n - 1n });
    expect(refusal(recordLiabilities, scene, record(scene, { sequence: 0n }))).toBe('StaleRoot');
  });

  it('records what is held however often the sums over the pool’s lifetime have wrapped', () => {
    const { scene } = recordLiabilities.prepare();
    const sums = { movedIn: 3n, returned: 2n ** 64n - 10_000n, paidOut: 3n, recordedIn: 3n };
    patchPool(scene.world, scene.token, sums);
    expect(refusal(recordLiabilities, scene, record(scene, { total: 10_001n }))).toBe('LiabilitiesMismatch');
    effectOf(recordLiabilities, scene, record(scene, { total: 10_000n }));
  });

  it('tells windows apart that the tree knows from later ones when their sum has wrapped', () => {
    const scene = done(recordLiabilities);
    const sums = { movedIn: 2n ** 64n - 4n, returned: 2n ** 64n - 10_004n, recordedIn: 2n ** 64n - 4n };
    patchPool(scene.world, scene.token, sums);
    const made = record(scene, { sequence: 3n });
    scene.world.setTime(FIRST + BigInt(HOUR));
    open(scene);
    expect(readPool(scene.world, scene.token)).toMatchObject({ movedIn: 10_496n, openings: 2n });
    const { changes } = effectOf(recordLiabilities, scene, made);
    expect(changes.pool).toMatchObject({ sequence: [2n, 3n] });
    expect(changes.pool).not.toHaveProperty('recordedOpenings');
    const windows = liabilitiesNow(scene.world, scene.list.holders, [scene.schedule]);
    const all = recordNow(scene.world, scene.token, windows);
    const { changes: later } = effectOf(
      recordLiabilities,
      scene,
      build.recordLiabilities(scene.world, scene.token, all),
    );
    expect(later.pool).toMatchObject({ recordedOpenings: [1n, 2n], liabilitiesLeft: [10_000n, 20_500n] });
  });

  it('freezes the root when a loss is declared, until that is revoked', () => {
    const scene = done(requestWithdrawal);
    declare(scene.world);
    expect(refusal(recordLiabilities, scene, record(scene))).toBe('LayerLost');
    must(scene.world.base.send(build.revokeLoss(scene.world.governance)));
    effectOf(recordLiabilities, scene, record(scene));
  });
});
