import type { Time } from '@payouts/client';

/** Milliseconds without an answer after which a ledger is said to be silent. */
export const SILENT_AFTER_MS = 5_000;

/** How long a ledger has left calls without an answer. While nobody asks anything, it is not known to be silent. */
export class Silence {
  #underWay = 0;
  /** When the first call began that is not answered since the last answer, and when the last one was given up. */
  #since: number | undefined;
  #givenUpAt = 0;

  constructor(private readonly time: Pick<Time, 'monotonic'>) {}

  begun(): void {
    this.#underWay += 1;
    this.#since ??= this.time.monotonic();
  }

  /** A call was answered, whatever the answer was, or not. */
  ended(isAnswered: boolean): void {
    const now = this.time.monotonic();
    this.#underWay -= 1;
    if (!isAnswered) this.#givenUpAt = now;
    else this.#since = this.#underWay > 0 ? now : undefined;
  }

  get milliseconds(): number {
    if (this.#since === undefined) return 0;
    return (this.#underWay > 0 ? this.time.monotonic() : this.#givenUpAt) - this.#since;
  }

  get isSilent(): boolean {
    return this.milliseconds >= SILENT_AFTER_MS;
  }
}

/** That of both ledgers. */
export type Silences = { readonly base: Silence; readonly layer: Silence };
