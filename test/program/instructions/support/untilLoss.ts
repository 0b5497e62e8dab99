import type { Instruction } from '@solana/kit';
import { expect } from 'vitest';
import { DAY } from '../../fixtures/constants.ts';
import type { Fixture, Scene } from '../../harness/fixture.ts';
import { effectOf, refusal } from './call.ts';
import { declare } from './scenes.ts';

/** Declares a loss: the call is good until the last second of the grace time, and refused from its end on. */
export function expectUntilLoss<S extends Scene>(fixture: Fixture<S>, scene: S, instruction: Instruction): void {
  const { world } = scene;
  declare(world);
  world.setTime(world.now + BigInt(DAY));
  expect(refusal(fixture, scene, instruction)).toBe('LayerLost');
  world.setTime(world.now - 1n);
  effectOf(fixture, scene, instruction);
}
