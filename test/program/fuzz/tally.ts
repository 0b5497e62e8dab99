import { INSTRUCTIONS } from '../negatives/names.ts';

/** How often each instruction was accepted and refused. */
export class Tally {
  readonly #accepted = new Map<string, number>();
  readonly #refused = new Map<string, number>();

  count(name: string, accepted: boolean): void {
    const counts = accepted ? this.#accepted : this.#refused;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  /** Instructions that never succeeded. */
  get missing(): string[] {
    return [...INSTRUCTIONS.values()].filter((name) => !this.#accepted.has(name));
  }

  toString(): string {
    const rows = [...INSTRUCTIONS.values(), 'unknown'].map((name) => [
      name.padEnd(22),
      String(this.#accepted.get(name) ?? 0).padStart(9),
      String(this.#refused.get(name) ?? 0).padStart(9),
    ]);
    return [['instruction'.padEnd(22), 'accepted'.padStart(9), 'refused'.padStart(9)], ...rows]
      .map((row) => row.join(' '))
      .join('\n');
  }
}
