import type { Outcome } from '@payouts/testing/litesvm/outcome';
import { must, type World } from '@payouts/testing/litesvm/world';
import type { Instruction } from '@solana/kit';

/** A world and what a test needs to know of it. */
export interface Scene {
  readonly world: World;
}

/** Which ledger an instruction runs on. */
export type Place = 'base' | 'layer';

/** A world in which one call is valid, and that call. */
export interface Prepared<S extends Scene = Scene> {
  readonly scene: S;
  readonly instruction: Instruction;
}

/** One instruction of the ledger program: where it runs, and how a valid call comes about. */
export interface Fixture<S extends Scene = Scene> {
  readonly place: Place;
  prepare(): Prepared<S>;
  /** Sends the call, or a changed one, in the prepared world; by default as a transaction on its ledger. */
  send?(scene: S, instruction: Instruction): Outcome;
}

/** Sends a fixture's call, or a changed one. */
export function send<S extends Scene>(fixture: Fixture<S>, scene: S, instruction: Instruction): Outcome {
  if (fixture.send !== undefined) return fixture.send(scene, instruction);
  return fixture.place === 'base' ? scene.world.base.send(instruction) : scene.world.sendToLayer(instruction);
}

/** The world after the fixture's call. */
export function done<S extends Scene>(fixture: Fixture<S>): S {
  const { scene, instruction } = fixture.prepare();
  must(send(fixture, scene, instruction));
  return scene;
}

/** The scene that another fixture's call leaves. */
export const after =
  <S extends Scene>(fixture: Fixture<S>) =>
  (): S =>
    done(fixture);

const fixtureOn =
  (place: Place) =>
  <S extends Scene>(sceneOf: () => S, callIn: (scene: S) => Instruction): Fixture<S> => ({
    place,
    prepare() {
      const scene = sceneOf();
      return { scene, instruction: callIn(scene) };
    },
  });

/** Fixtures by the ledger that their instruction runs on: the scene in which the call is valid, and the call. */
export const onBase = fixtureOn('base');
export const onLayer = fixtureOn('layer');
