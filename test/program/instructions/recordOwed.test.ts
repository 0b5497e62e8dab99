import { describe, expect, it } from 'vitest';
import { createSchedule, FIRST, HOUR, TIMEOUT } from '../fixtures/createSchedule.ts';
import { delegateSchedule } from '../fixtures/delegateSchedule.ts';
import { buildRecordOwed, recordOwed } from '../fixtures/recordOwed.ts';
import { requestWithdrawal, WALLET } from '../fixtures/requestWithdrawal.ts';
import { settle } from '../fixtures/settle.ts';
import { done } from '../harness/fixture.ts';
import { OwedTree } from '../harness/owed.ts';
import { owedNow, readPool, recordNow } from '../harness/read.ts';
import { effectOf, refusal } from './support/call.ts';
import { patchPool } from './support/patch.ts';
import { expectUntilLoss } from './support/untilLoss.ts';
import { open, pay } from './support/window.ts';
import { withdrawTo } from './support/withdrawal.ts';

type Scene = ReturnType<typeof recordOwed.prepare>['scene'];

/** What an honest coordinator would record, changed. */
function record({ world, token, list }: Scene, change: object = {}) {
  return buildRecordOwed(world, token, { ...recordNow(world, token, owedNow(world, list.holders, [])), ...change });
}

describe('record_owed', () => {
  it('records the tree that knows of the withdrawals asked for since', () => {
    const { scene, instruction } = recordOwed.prepare();
    const { world, token, list } = scene;
    const root = (coveredTo: bigint, tree: OwedTree) => tree.record(2n, 10_000n, 10_500n, coveredTo).root;
    const before = owedNow(done(settle).world, list.holders, []);
    const after = owedNow(world, list.holders, []);
    expect(after.balances[0]).toMatchObject({ amount: 400n, pendingNumber: 1n, pendingAmount: 600n });
    world.setTime(world.now + 5n);
    const { changes, events } = effectOf(recordOwed, scene, instruction);
    expect(changes).toEqual({
      pool: {
        owedRoot: [root(1n, before), root(2n, after)],
        coveredTo: [1n, 2n],
        sequence: [1n, 2n],
        recordedAt: [FIRST + BigInt(TIMEOUT), FIRST + BigInt(TIMEOUT) + 5n],
      },
    });
    expect(events).toEqual([
      {
        __kind: 'OwedRecorded',
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
    const tree = owedNow(world, list.holders, [schedule]);
    expect(tree.windows).toEqual([{ schedule: schedule.address, window: 0n, paid: 3_000n }]);
    const owed = recordNow(world, token, tree);
    const { changes } = effectOf(recordOwed, scene, buildRecordOwed(world, token, owed));
    expect(changes.pool).toEqual({
      owedLeaves: [0, 3],
      owedRoot: [new Uint8Array(32), owed.root],
      owedTotal: [0n, 10_500n],
      sequence: [0n, 1n],
      recordedAt: [0n, FIRST],
      recordedIn: [0n, 10_500n],
    });
  });

  it('records an empty tree while the pool holds nothing', () => {
    const scene = done(createSchedule);
    const { world, token } = scene;
    const owed = new OwedTree([], []).record(1n, 0n, 0n, 1n);
    const { changes } = effectOf(recordOwed, scene, buildRecordOwed(world, token, owed));
    expect(changes.pool).toEqual({ sequence: [0n, 1n], recordedAt: [0n, world.now] });
  });

  it('follows what the pool has paid out', () => {
    const scene = done(settle);
    withdrawTo(scene, 0, 1n, 600n, WALLET);
    expect(refusal(recordOwed, scene, record(scene, { total: 10_000n }))).toBe('OwedMismatch');
    const { changes } = effectOf(recordOwed, scene, record(scene));
    expect(changes.pool).toMatchObject({ owedTotal: [10_000n, 9_400n], sequence: [2n, 3n] });
  });

  it('records each tree once, and none that another has overtaken', () => {
    const { scene, instruction } = recordOwed.prepare();
    effectOf(recordOwed, scene, instruction);
    expect(refusal(recordOwed, scene, instruction)).toBe('StaleRoot');
    expect(refusal(recordOwed, scene, record(scene, { sequence: 4n }))).toBe('StaleRoot');
    effectOf(recordOwed, scene, record(scene, { sequence: 3n }));
  });

  it('records a tree that was made before the last window was opened, and none that knows less than the one before', () => {
    const scene = done(recordOwed);
    const made = record(scene, { sequence: 3n });
    scene.world.setTime(FIRST + BigInt(HOUR));
    open(scene);
    const { movedIn } = readPool(scene.world, scene.token);
    expect(movedIn).toBe(21_000n);
    const { changes } = effectOf(recordOwed, scene, made);
    expect(changes.pool).toEqual({ sequence: [2n, 3n], recordedAt: [expect.anything(), FIRST + BigInt(HOUR)] });
    const windows = owedNow(scene.world, scene.list.holders, [scene.schedule]);
    const { changes: later } = effectOf(
      recordOwed,
      scene,
      buildRecordOwed(scene.world, scene.token, recordNow(scene.world, scene.token, windows)),
    );
    expect(later.pool).toMatchObject({ recordedIn: [10_500n, 21_000n], owedTotal: [10_000n, 20_500n] });
    expect(refusal(recordOwed, scene, record(scene, { movedIn: 10_500n, total: 10_000n }))).toBe('StaleRoot');
  });

  it.each([
    ['more than has moved in', { movedIn: 10_501n, total: 10_001n }],
    ['less than its total', { movedIn: 10_500n - 1n }],
  ])('refuses a tree that knows %s', (_, change) => {
    const scene = done(delegateSchedule);
    const { world, token, list, schedule } = scene;
    const honest = recordNow(world, token, owedNow(world, list.holders, [schedule]));
    expect(refusal(recordOwed, scene, buildRecordOwed(world, token, { ...honest, ...change }))).toBe('OwedMismatch');
  });

  it('never covers less than before', () => {
    const scene = done(recordOwed);
    expect(refusal(recordOwed, scene, record(scene, { coveredTo: 1n }))).toBe('StaleRoot');
    expect(effectOf(recordOwed, scene, record(scene, { coveredTo: 2n })).changes.pool).toEqual({ sequence: [2n, 3n] });
    const { changes } = effectOf(recordOwed, scene, record(scene, { coveredTo: 9n }));
    expect(changes.pool).toEqual({ sequence: [3n, 4n], coveredTo: [2n, 9n] });
  });

  it('covers every number that was paid', () => {
    const { scene } = recordOwed.prepare();
    patchPool(scene.world, scene.token, { highestWithdrawal: 7n });
    expect(refusal(recordOwed, scene, record(scene, { coveredTo: 7n }))).toBe('StaleRoot');
    effectOf(recordOwed, scene, record(scene, { coveredTo: 8n }));
  });

  it.each([
    ['a base unit short', { total: 9_999n }],
    ['a base unit too much', { total: 10_001n }],
    ['without leaves', { leaves: 0 }],
    ['empty although the pool holds something', { total: 0n, leaves: 0 }],
  ])('refuses a tree that is %s', (_, change) => {
    const { scene } = recordOwed.prepare();
    expect(refusal(recordOwed, scene, record(scene, change))).toBe('OwedMismatch');
  });

  it('refuses to go beyond the last sequence number', () => {
    const { scene } = recordOwed.prepare();
    patchPool(scene.world, scene.token, { sequence: 2n ** 64n - 1n });
    expect(refusal(recordOwed, scene, record(scene, { sequence: 0n }))).toBe('StaleRoot');
  });

  it('refuses when the pool’s counters contradict each other', () => {
    const { scene, instruction } = recordOwed.prepare();
    patchPool(scene.world, scene.token, { returned: readPool(scene.world, scene.token).movedIn + 1n });
    expect(refusal(recordOwed, scene, instruction)).toBe('PoolShortfall');
  });

  it('refuses another sender', () => {
    const { scene } = recordOwed.prepare();
    const { world, token, list } = scene;
    const owed = recordNow(world, token, owedNow(world, list.holders, []));
    expect(refusal(recordOwed, scene, buildRecordOwed(world, token, owed, world.stranger))).toBe(
      'NotExecutionAuthority',
    );
  });

  it('records until the grace time of a declared loss is over, to the second', () => {
    const scene = done(requestWithdrawal);
    expectUntilLoss(recordOwed, scene, record(scene));
  });
});
