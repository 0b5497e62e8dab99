import type { Outcome } from '@payouts/testing/litesvm/outcome';
import type { AccountMeta, Address, Instruction } from '@solana/kit';
import { type Fixture, type Scene, send } from '../harness/fixture.ts';
import type { GuardName } from './guards.ts';
import type { Role } from './roles.ts';

/** Something that somebody, or two together, could try. */
export interface Attempt {
  /** Two roles are joined by " + ". */
  readonly role: Role | `${Role} + ${Role}`;
  readonly attempt: string;
  /** What it may come to at most. */
  readonly bound: string;
  /** What stops it. */
  readonly guard: GuardName;
  /** Tries it: the error that refused it; undefined: it went through, past the bound. */
  run(): string | undefined;
}

/** An attempt that must be refused. */
export const attempt = (role: Attempt['role'], what: string, guard: GuardName, run: () => Outcome): Attempt => ({
  role,
  attempt: what,
  bound: 'refused',
  guard,
  run: () => run().failure,
});

/** An attempt that goes through, and must come to no more than its bound: `run` says whether it did. */
export const bounded = (
  role: Attempt['role'],
  what: string,
  bound: string,
  guard: GuardName,
  run: () => boolean,
): Attempt => ({
  role,
  attempt: what,
  bound,
  guard,
  run: () => (run() ? bound : undefined),
});

/** A call that one address signs in the place of another. */
export function signedInstead(instruction: Instruction, entitled: Address, by: Address): Instruction {
  const accounts = (instruction.accounts ?? []) as readonly AccountMeta[];
  return {
    ...instruction,
    accounts: accounts.map((meta) => (meta.address === entitled ? { ...meta, address: by } : meta)),
  };
}

/** A fixture's call, changed by what its scene has. */
export function tried<S extends Scene>(
  fixture: Fixture<S>,
  change: (instruction: Instruction, scene: S) => Instruction,
): Outcome {
  const { scene, instruction } = fixture.prepare();
  return send(fixture, scene, change(instruction, scene));
}
