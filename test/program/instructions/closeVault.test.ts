import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { closeSchedule, closeVault, createSchedule, deposit, initVault } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readVault } from '../harness/read.ts';
import { patchVault } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { addSchedule, scheduled } from './support/scenes.ts';
import { vaultOf2022 } from './support/token2022.ts';
import { complete } from './support/window.ts';

/** Closes in any scene with a vault. */
const close = { ...closeVault, prepare: deposit.prepare };

describe('close_vault', () => {
  it('takes out what is available and closes the token account; the vault stays with its counters', () => {
    const { scene, changes, events } = effectIn(closeVault);
    const { base } = scene.world;
    expect(changes).toEqual({
      employer: { lamports: base.minimumBalance(165) },
      vault: { withdrawn: [0n, 100_000n], closed: [0, 1] },
      vaultToken: { removed: true },
      destinationToken: { tokens: [900_000n, 1_000_000n] },
    });
    expect(events).toEqual([{ __kind: 'VaultClosed', vault: scene.vault.address, returned: 100_000n }]);
  });

  it('closes an empty vault without moving tokens', () => {
    const scene = done(initVault);
    const { changes, events } = effectOf(close, scene, build.closeVault(scene.vault));
    expect(changes).toMatchObject({ vault: { closed: [0, 1] }, vaultToken: { removed: true } });
    expect(Object.keys(changes)).toEqual(['employer', 'vault', 'vaultToken']);
    expect(events).toMatchObject([{ returned: 0n }]);
  });

  it('takes along tokens that somebody has sent without a deposit', () => {
    const scene = done(closeSchedule);
    const { world, token, vault } = scene;
    world.mintTo(vault.address, token, 7n);
    const { changes, events } = effectOf(closeVault, scene, build.closeVault(vault));
    expect(changes.vault).toEqual({ withdrawn: [0n, 100_000n], closed: [0, 1] });
    expect(changes.destinationToken).toEqual({ tokens: [900_000n, 1_000_007n] });
    expect(events).toMatchObject([{ returned: 100_007n }]);
  });

  it('pays to any token account that the employer names', () => {
    const scene = done(closeSchedule);
    const { world, token, vault } = scene;
    const to = world.openTokenAccount(world.stranger, token);
    effectOf(closeVault, scene, build.closeVault(vault, to));
    expect(world.base.tokens(to)).toBe(100_000n);
  });

  it('closes a vault of Token-2022', () => {
    const scene = vaultOf2022([[18, 64]]);
    const { changes } = effectOf(close, scene, build.closeVault(scene.vault));
    expect(changes.destinationToken).toEqual({ tokens: [900_000n, 1_000_000n] });
    expect(changes.vaultToken).toEqual({ removed: true });
  });

  it('lets the vault be opened again, with counters and ids that go on', () => {
    const scene = done(closeVault);
    const { world, vault } = scene;
    world.openTokenAccount(vault.address, scene.token);
    must(world.base.send(build.initVault(world, vault)));
    must(world.base.send(build.deposit(vault, 50_000n)));
    expect(readVault(world, vault)).toMatchObject({
      closed: 0,
      deposited: 150_000n,
      withdrawn: 100_000n,
      nextId: 2n,
    });
    expect(() => addSchedule(scene, 1n)).toThrow('IdNotNew');
    addSchedule(scene, 2n);
    expect(readVault(world, vault)).toMatchObject({ reserved: 31_500n, schedules: 1, nextId: 3n });
  });

  it('refuses a vault with a schedule, though nothing is reserved', () => {
    const scene = scheduled(undefined, { executions: 1 });
    expect(refusal(closeVault, scene, build.closeVault(scene.vault))).toBe('VaultNotEmpty');
    complete(scene);
    expect(readVault(scene.world, scene.vault)).toMatchObject({ schedules: 1, reserved: 0n, open: 0n });
    expect(refusal(closeVault, scene, build.closeVault(scene.vault))).toBe('VaultNotEmpty');
  });

  it.each([
    ['reserved', { reserved: 1n, schedules: 0 }],
    ['in an open window', { open: 1n, reserved: 0n, schedules: 0 }],
  ])('refuses a vault with something %s', (_, change) => {
    const scene = done(createSchedule);
    patchVault(scene.world, scene.vault, change);
    expect(refusal(closeVault, scene, build.closeVault(scene.vault))).toBe('VaultNotEmpty');
  });

  it('refuses a vault whose token account holds less than it counts', () => {
    const scene = done(closeSchedule);
    patchVault(scene.world, scene.vault, { deposited: 100_001n });
    expect(refusal(closeVault, scene, build.closeVault(scene.vault))).toBe('InsufficientAvailable');
  });

  it('refuses to pay the vault itself', () => {
    const { scene } = closeVault.prepare();
    const toItself = build.closeVault(scene.vault, scene.vault.tokenAccount);
    expect(refusal(closeVault, scene, toItself)).toBe('InvalidTokenAccount');
  });

  it('closes once, and what is closed takes and gives nothing', () => {
    const { scene, instruction } = closeVault.prepare();
    effectOf(closeVault, scene, instruction);
    const { world, token, vault } = scene;
    expect(refusal(closeVault, scene, instruction)).toBe('VaultClosed');
    world.openTokenAccount(vault.address, token);
    for (const call of [instruction, build.deposit(vault, 1n), build.withdraw(vault, 1n)]) {
      expect(world.base.send(call).failure).toBe('VaultClosed');
    }
  });
});
