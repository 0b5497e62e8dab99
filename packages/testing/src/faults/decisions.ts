import { Random } from '../random.ts';
import { type Fault, type FaultRule, suits } from './rule.ts';

/** What is done to one call. `isDelivered` decides for faults that may happen on either side of the ledger. */
export type FaultDecision = {
  readonly fault: Exclude<Fault, { kind: 'delay' }> | undefined;
  readonly delayMs: number;
  readonly isDelivered: boolean;
};

/** A number of 32 bits from a text (FNV-1a). */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/**
 * Decides what is done to each call. A decision follows from the seed, the method and the call's number among those of that
 * method, so that the same calls are treated alike however those of different methods follow each other.
 */
export class Decisions {
  readonly #calls = new Map<string, number>();

  constructor(private readonly seed: number) {}

  /** `elapsedMs`: since the rules were set. The first rule that strikes counts; delays add up and strike beside it. */
  next(method: string, rules: readonly FaultRule[], elapsedMs: number): FaultDecision {
    const number = (this.#calls.get(method) ?? 0) + 1;
    this.#calls.set(method, number);
    const random = new Random(seedOf(`${this.seed} ${method} ${number}`));
    const isDelivered = random.chance(0.5);
    let chosen: FaultDecision['fault'];
    let delayMs = 0;
    for (const { faults, probability = 1, methods, storm } of rules) {
      // Drawn for every rule, so that a rule's storm does not change what others do.
      const strikes = random.chance(probability);
      const draw = random.u32();
      const possible = faults.filter((fault) => suits(fault, method));
      const fault = possible[draw % Math.max(1, possible.length)];
      if (!strikes || fault === undefined || methods?.includes(method) === false) continue;
      if (storm !== undefined && elapsedMs % storm.everyMs >= storm.lastsMs) continue;
      if (fault.kind === 'delay') delayMs += fault.ms + (draw % ((fault.spreadMs ?? 0) + 1));
      else chosen ??= fault;
    }
    return { fault: chosen, delayMs, isDelivered };
  }

  /** Calls of a method so far; of all methods, if none is named. */
  calls(method?: string): number {
    if (method !== undefined) return this.#calls.get(method) ?? 0;
    return [...this.#calls.values()].reduce((sum, count) => sum + count, 0);
  }
}
