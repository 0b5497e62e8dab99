import type { Time } from '@payouts/client';
import { withTimeout } from '../platform/withTimeout.ts';
import { countSchedules } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';

/** Whether the database answers, and how many schedules are registered: the last known number while it does not. */
export type Health = { readonly isConnected: boolean; readonly schedulesRegistered: number };

/** Milliseconds for an answer. With the time below, a database that is gone shows within two seconds. */
const WITHIN_MS = 1_000;
/** Milliseconds for which an answer is good: health may be asked often, and counting takes its time. */
const FRESH_MS = 500;

/** Asks the database whether it is there: one question at a time, however many want to know. */
export class HealthProbe {
  #question: { readonly askedAt: number; readonly isConnected: Promise<boolean> } | undefined;
  #connectedAt = Number.NEGATIVE_INFINITY;
  #schedules = 0;
  /** Raised when what was asked before no longer counts. */
  #round = 0;

  constructor(
    private readonly database: Db,
    private readonly time: Time,
  ) {}

  async check(): Promise<Health> {
    const isConnected = this.time.monotonic() - this.#connectedAt < FRESH_MS || (await this.#answer());
    return { isConnected, schedulesRegistered: this.#schedules };
  }

  /** Another schedule is registered: the next check asks anew. */
  forget(): void {
    this.#round += 1;
    this.#connectedAt = Number.NEGATIVE_INFINITY;
    this.#question = undefined;
  }

  /** A question that has waited for too long is an answer at once. */
  async #answer(): Promise<boolean> {
    this.#question ??= { askedAt: this.time.monotonic(), isConnected: this.#ask() };
    const { askedAt, isConnected } = this.#question;
    const left = askedAt + WITHIN_MS - this.time.monotonic();
    return left > 0 && (await withTimeout(this.time, left, isConnected)) === true;
  }

  async #ask(): Promise<boolean> {
    const round = this.#round;
    try {
      const schedules = await countSchedules(this.database);
      if (round === this.#round) {
        this.#schedules = schedules;
        this.#connectedAt = this.time.monotonic();
      }
      return true;
    } catch {
      return false;
    } finally {
      if (round === this.#round) this.#question = undefined;
    }
  }
}
