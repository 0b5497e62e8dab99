import type { Address } from '@solana/kit';

/** A rule was broken. */
export class Violation extends Error {}

/** Ends the run if a rule does not hold. */
export function rule(holds: boolean, sentence: string | (() => string)): asserts holds {
  if (!holds) throw new Violation(typeof sentence === 'string' ? sentence : sentence());
}

/** Whether two hashes are the same. */
export const sameBytes = (one: ArrayLike<number>, other: ArrayLike<number>): boolean =>
  Buffer.compare(Uint8Array.from(one), Uint8Array.from(other)) === 0;

/** What is known by an address; ends the run if nothing is. */
export function known<T>(found: T | undefined, address: Address, what: string): T {
  rule(found !== undefined, () => `${address} was taken for a ${what}`);
  return found;
}
