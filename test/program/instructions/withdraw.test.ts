import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { closeVault, createSchedule, delegateSchedule, deposit, settle, withdraw } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { patchVault } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { declare } from './support/scenes.ts';
import { vaultOf2022 } from './support/token2022.ts';

describe('withdraw', () => {
  it('moves tokens out of the vault', () => {
    const { scene, changes, events } = effectIn(withdraw);
    expect(changes).toEqual({
      vault: { withdrawn: [0n, 1_000n] },
      vaultToken: { tokens: [100_000n, 99_000n] },
      destinationToken: { tokens: [900_000n, 901_000n] },
    });
    expect(events).toEqual([{ __kind: 'Withdrawn', vault: scene.vault.address, amount: 1_000n }]);
  });

  it.each([
    ['all of it when nothing is promised', deposit, 100_000n],
    ['what is not reserved', createSchedule, 68_500n],
    ['what is neither reserved nor in an open window', delegateSchedule, 68_500n],
    ['what came back from a window, too', settle, 69_000n],
  ])('gives %s, and not a base unit more', (_, fixture, available) => {
    const scene = done(fixture);
    expect(refusal(withdraw, scene, build.withdraw(scene.vault, available + 1n))).toBe('InsufficientAvailable');
    effectOf(withdraw, scene, build.withdraw(scene.vault, available));
    expect(refusal(withdraw, scene, build.withdraw(scene.vault, 1n))).toBe('InsufficientAvailable');
  });

  it('does not give what somebody has sent without a deposit', () => {
    const scene = done(deposit);
    scene.world.mintTo(scene.vault.address, scene.token, 7n);
    expect(refusal(withdraw, scene, build.withdraw(scene.vault, 100_001n))).toBe('InsufficientAvailable');
  });

  it('pays to any token account that the employer names', () => {
    const scene = done(deposit);
    const { world, token, vault } = scene;
    const to = world.openTokenAccount(world.stranger, token);
    effectOf(withdraw, scene, build.withdraw(vault, 9n, to));
    expect(world.base.tokens(to)).toBe(9n);
  });

  it('moves tokens of Token-2022', () => {
    const scene = vaultOf2022([]);
    const { changes } = effectOf(withdraw, scene, build.withdraw(scene.vault, 1n));
    expect(changes.destinationToken).toEqual({ tokens: [900_000n, 900_001n] });
  });

  it('goes on when the layer is lost', () => {
    const scene = done(createSchedule);
    declare(scene.world);
    scene.world.setTime(scene.world.now + 86_400n);
    effectOf(withdraw, scene, build.withdraw(scene.vault, 68_500n));
  });

  it('refuses nothing, and the vault itself', () => {
    const { scene } = withdraw.prepare();
    const { vault } = scene;
    expect(refusal(withdraw, scene, build.withdraw(vault, 0n))).toBe('ZeroAmount');
    const toItself = build.withdraw(vault, 1n, vault.tokenAccount);
    expect(refusal(withdraw, scene, toItself)).toBe('InvalidTokenAccount');
  });

  it('refuses out of a closed vault', () => {
    const scene = done(closeVault);
    scene.world.openTokenAccount(scene.vault.address, scene.token);
    expect(refusal(withdraw, scene, build.withdraw(scene.vault, 1n))).toBe('VaultClosed');
  });

  // Sums over a lifetime wrap, so only what is promised can be too much.
  it.each(['reserved', 'open'] as const)(
    'refuses when the counters contradict each other: too much is %s',
    (counter) => {
      const { scene, instruction } = withdraw.prepare();
      patchVault(scene.world, scene.vault, { [counter]: 100_001n });
      expect(refusal(withdraw, scene, instruction)).toBe('InsufficientAvailable');
    },
  );
});
