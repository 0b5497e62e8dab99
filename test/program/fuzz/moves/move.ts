import type { BaseAction } from '@payouts/testing/litesvm/delegation';
import type { World } from '@payouts/testing/litesvm/world';
import type { Random } from '@payouts/testing/random';
import type { Instruction } from '@solana/kit';
import type { Cast } from '../cast.ts';
import type { Model } from '../model.ts';

/** What a move may look at. */
export interface Situation {
  readonly world: World;
  readonly model: Model;
  readonly cast: Cast;
  readonly random: Random;
  /** The layer lies in this world. */
  readonly lies: boolean;
  /** Base actions that were executed or failed: they may be sent again. */
  readonly oldActions: BaseAction[];
}

/** An instruction for one of the ledgers. */
export interface Call {
  readonly place: 'base' | 'layer';
  readonly instruction: Instruction;
  /** Goes right before it in the same transaction. */
  readonly authorisation?: Instruction;
}

/** Proposes a call that is likely to be right; undefined if there is no occasion for it now. */
export type Move = (situation: Situation) => Call | undefined;

/** Moves, each with how often it is proposed beside the others. */
export type Moves = readonly (readonly [number, Move])[];

export const pick = <T>({ random }: Situation, items: readonly T[]): T | undefined =>
  items.length === 0 ? undefined : random.pick(items);

/** Moves about one of these, which it mostly fits: now and then another is taken. */
const movesAbout =
  <T>(allIn: (model: Model) => Iterable<T>, mostly: number) =>
  (fits: (one: T) => boolean, callOf: (one: T, situation: Situation) => ReturnType<Move>): Move =>
  (situation) => {
    const isStrict = situation.random.chance(mostly);
    const one = pick(
      situation,
      [...allIn(situation.model)].filter((each) => !isStrict || fits(each)),
    );
    return one && callOf(one, situation);
  };

export const ofSchedule = movesAbout(({ schedules }) => schedules.values(), 0.85);
export const ofBalance = movesAbout(({ balances }) => balances.slots, 0.9);
export const ofPersonal = movesAbout(({ balances }) => balances.personals.values(), 0.9);

export const base = (instruction: Instruction): Call => ({ place: 'base', instruction });
export const layer = (instruction: Instruction): Call => ({ place: 'layer', instruction });
