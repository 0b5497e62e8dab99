import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { expect } from 'vitest';
import * as build from '../../fixtures/build.ts';
import type { Fixture, Scene } from '../../harness/fixture.ts';
import { effectOf, refusal } from './call.ts';
import { configure } from './scenes.ts';

/** Whose entry a flag of the config asks for. */
const FLAGS = { employer: 1, mint: 2 };

/** The call needs the subject's entry, and one that says yes, as soon as the config asks for it. */
export function expectWhitelistAsked<S extends Scene>(
  fixture: Fixture<S>,
  flag: keyof typeof FLAGS,
  subjectOf: (scene: S) => Address,
): void {
  const { scene, instruction } = fixture.prepare();
  const { world } = scene;
  const set = (allowed: number) => must(world.base.send(build.setWhitelist(world, subjectOf(scene), allowed)));
  configure(world, {}, FLAGS[flag]);
  expect(refusal(fixture, scene, instruction)).toBe('NotWhitelisted');
  set(0);
  expect(refusal(fixture, scene, instruction)).toBe('NotWhitelisted');
  set(1);
  effectOf(fixture, scene, instruction);
}

/** The call does not mind that the config asks for others' entries. */
export function expectWhitelistNotAsked<S extends Scene>(fixture: Fixture<S>, flag: keyof typeof FLAGS): void {
  const { scene, instruction } = fixture.prepare();
  configure(scene.world, {}, FLAGS[flag]);
  effectOf(fixture, scene, instruction);
}
