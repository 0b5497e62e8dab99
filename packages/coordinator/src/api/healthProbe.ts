import type { Kysely } from 'kysely';
import { countSchedules } from '../store/queries/schedules.ts';
import type { Tables } from '../store/schema.ts';

/** Whether the database answers, and how many schedules are registered: the last known number while it does not. */
export type Health = { readonly isConnected: boolean; readonly schedulesRegistered: number };

/** Milliseconds for an answer. With the time below, a database that is gone shows within two seconds. */
const WITHIN_MS = 1_000;
/** Milliseconds for which an answer is good: health may be asked often, and counting takes its time. */
const FRESH_MS = 500;

/** Asks the database whether it is there: one question at a time, however many want to know. */
export class HealthProbe {
  readonly #database: Kysely<Tables>;
  #question: { readonly askedAt: number; readonly isConnected: Promise<boolean> } | undefined;
  #connectedAt = 0;
  #schedules = 0;
  /** Raised when what was asked before no longer counts. */
  #round = 0;

  constructor(database: Kysely<Tables>) {
    this.#database = database;
  }

  async check(): Promise<Health> {
    const isConnected = Date.now() - this.#connectedAt < FRESH_MS || (await this.#answer());
    return { isConnected, schedulesRegistered: this.#schedules };
  }

  /** Another schedule is registered: the next check asks anew. */
  forget(): void {
    this.#round += 1;
    this.#connectedAt = 0;
    this.#question = undefined;
  }

  /** A question that has waited for too long is an answer at once. */
  #answer(): Promise<boolean> {
    this.#question ??= { askedAt: Date.now(), isConnected: this.#ask() };
    const { askedAt, isConnected } = this.#question;
    return trueWithin(isConnected, askedAt + WITHIN_MS - Date.now());
  }

  async #ask(): Promise<boolean> {
    const round = this.#round;
    try {
      const schedules = await countSchedules(this.#database);
      if (round === this.#round) {
        this.#schedules = schedules;
        this.#connectedAt = Date.now();
      }
      return true;
    } catch {
      return false;
    } finally {
      if (round === this.#round) this.#question = undefined;
    }
  }
}

/** What a promise resolves to, or false after so many milliseconds. */
async function trueWithin(promise: Promise<boolean>, milliseconds: number): Promise<boolean> {
  if (milliseconds <= 0) return false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
