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

export const base = (instruction: Instruction): Call => ({ place: 'base', instruction });
export const layer = (instruction: Instruction): Call => ({ place: 'layer', instruction });
