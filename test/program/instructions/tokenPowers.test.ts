import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { createSchedule, deposit, fundSchedule, initPool, initVault, withdraw } from '../fixtures/index.ts';
import { readPool, readVault } from '../harness/read.ts';
import { patchPool, patchVault, rewrite } from '../harness/write.ts';
import { effectOf, refusal } from './support/call.ts';
import { type Extension, POWERS, vaultOf2022 } from './support/token2022.ts';

/** Where a mint's freeze authority begins, and its first extension's bytes. */
const FREEZE_AUTHORITY = 46;
const EXTENSION = 170;
/** A transfer fee: from epoch 0 on, at most so many base units, 1 %. */
const FEE = [...new Uint8Array(8), ...new Uint8Array(8).fill(0x7f), 100, 0];

describe('a mint that gives somebody a power over its tokens', () => {
  it('is one of the classic program that can be frozen, too', () => {
    const { scene, instruction } = initPool.prepare();
    const { world, token } = scene;
    rewrite(world, token.mint, ({ data }) => ({ data: data.with(FREEZE_AUTHORITY, 1) }));
    expect(refusal(initPool, scene, instruction)).toBe('NotWhitelisted');
    must(world.base.send(build.setWhitelist(world, token.mint, 1)));
    effectOf(initPool, scene, instruction);
    expect(readPool(world, token)).toMatchObject({ hasPowers: 1 });
  });

  it('has no new vault once it is taken off the list', () => {
    const { scene, instruction } = initVault.prepare();
    const { world, token, vault } = scene;
    patchPool(world, token, { hasPowers: 1 });
    expect(refusal(initVault, scene, instruction)).toBe('NotWhitelisted');
    must(world.base.send(build.setWhitelist(world, token.mint, 1)));
    effectOf(initVault, scene, instruction);
    expect(readVault(world, vault)).toMatchObject({ hasPowers: 1 });
  });

  it.each([createSchedule, fundSchedule])('is promised nothing new then', (fixture) => {
    const { scene, instruction } = fixture.prepare();
    const { world, token, vault } = scene;
    patchVault(world, vault, { hasPowers: 1 });
    expect(refusal(fixture, scene, instruction)).toBe('NotWhitelisted');
    must(world.base.send(build.setWhitelist(world, token.mint, 1)));
    effectOf(fixture, scene, instruction);
  });

  it.each(POWERS)('moves like any other while nobody uses it: %s', (_, extension) => {
    const scene = vaultOf2022([extension]);
    effectOf(deposit, scene, build.deposit(scene.vault, 11n));
    effectOf(withdraw, scene, build.withdraw(scene.vault, 7n));
    expect(readVault(scene.world, scene.vault)).toMatchObject({ hasPowers: 1 });
  });

  it.each<[string, Extension, readonly number[], string]>([
    ['takes a fee', [1, 108], [...new Uint8Array(72), ...FEE, ...FEE], 'TokensMissing'],
    ['has a program called', [14, 64], [...new Uint8Array(32), ...new Uint8Array(32).fill(2)], 'MissingAccount'],
    ['pauses', [26, 33], [...new Uint8Array(32).fill(1), 1], 'Custom 67'],
  ])('moves not a base unit while its issuer %s', (_, extension, used, error) => {
    const scene = vaultOf2022([extension]);
    const set = (bytes: ArrayLike<number>) =>
      rewrite(scene.world, scene.token.mint, ({ data }) => {
        const changed = Uint8Array.from(data);
        changed.set(bytes, EXTENSION);
        return { data: changed };
      });
    set(used);
    expect(refusal(deposit, scene, build.deposit(scene.vault, 10_000n))).toBe(error);
    expect(refusal(withdraw, scene, build.withdraw(scene.vault, 10_000n))).toBe(error);
    set(new Uint8Array(used.length));
    effectOf(withdraw, scene, build.withdraw(scene.vault, 10_000n));
  });
});
