import { availableOf, checkVault } from '@payouts/client';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DEPOSIT, WEALTH } from '../fixtures/constants.ts';
import { closeVault, deposit, withdraw } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readVault } from '../harness/read.ts';
import { patchVault } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { vaultOf2022 } from './support/token2022.ts';

describe('deposit', () => {
  it('moves tokens into the vault', () => {
    const { scene, changes, events } = effectIn(deposit);
    expect(changes).toEqual({
      sourceToken: { tokens: [1_000_000n, 900_000n] },
      vault: { deposited: [0n, 100_000n] },
      vaultToken: { tokens: [0n, 100_000n] },
    });
    expect(events).toEqual([{ __kind: 'Deposited', vault: scene.vault.address, amount: 100_000n }]);
  });

  it('takes tokens from anybody', () => {
    const scene = done(deposit);
    const { world, token, vault } = scene;
    const from = world.mintTo(world.stranger, token, 5n);
    const { changes } = effectOf(deposit, scene, build.deposit(vault, 5n, world.stranger, from));
    expect(changes).toEqual({
      sourceToken: { tokens: [5n, 0n] },
      vault: { deposited: [100_000n, 100_005n] },
      vaultToken: { tokens: [100_000n, 100_005n] },
    });
  });

  it('moves tokens of Token-2022 with metadata', () => {
    const scene = vaultOf2022([
      [18, 64],
      [19, 80],
    ]);
    const { changes } = effectOf(deposit, scene, build.deposit(scene.vault, 11n));
    expect(changes).toEqual({
      sourceToken: { tokens: [900_000n, 899_989n] },
      vault: { deposited: [100_000n, 100_011n] },
      vaultToken: { tokens: [100_000n, 100_011n] },
    });
  });

  it('takes all that the depositor has, and not a base unit more', () => {
    const scene = done(deposit);
    const rest = WEALTH - DEPOSIT;
    expect(refusal(deposit, scene, build.deposit(scene.vault, rest + 1n))).toBe('Custom 1');
    effectOf(deposit, scene, build.deposit(scene.vault, rest));
  });

  it('refuses nothing, and the vault’s own tokens', () => {
    const { scene } = deposit.prepare();
    const { vault } = scene;
    expect(refusal(deposit, scene, build.deposit(vault, 0n))).toBe('ZeroAmount');
    const own = build.deposit(vault, 1n, vault.employer, vault.tokenAccount);
    expect(refusal(deposit, scene, own)).toBe('InvalidTokenAccount');
  });

  it('refuses into a closed vault', () => {
    const scene = done(closeVault);
    scene.world.openTokenAccount(scene.vault.address, scene.token);
    expect(refusal(deposit, scene, build.deposit(scene.vault, 1n))).toBe('VaultClosed');
  });

  it('goes on when all that was ever deposited is more than there are numbers', () => {
    const { scene, instruction } = deposit.prepare();
    const { world, vault } = scene;
    const most = 2n ** 64n - 1n;
    patchVault(world, vault, { deposited: most, withdrawn: most - 5n, paid: 5n });
    effectOf(deposit, scene, instruction);
    const wrapped = readVault(world, vault);
    expect(wrapped.deposited).toBe(DEPOSIT - 1n);
    expect(availableOf(wrapped)).toBe(DEPOSIT);
    expect(checkVault(wrapped, DEPOSIT)).toEqual([]);
    expect(refusal(withdraw, scene, build.withdraw(vault, DEPOSIT + 1n))).toBe('InsufficientAvailable');
    effectOf(withdraw, scene, build.withdraw(vault, DEPOSIT));
    expect(availableOf(readVault(world, vault))).toBe(0n);
  });
});
