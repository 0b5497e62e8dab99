import { randomBytes } from 'node:crypto';
import type { Time } from '@payouts/client';
import type { Lease } from '../../platform/lease.ts';
import type { Logger } from '../../platform/log/log.ts';
import { type LoopMetrics, runLoop } from '../../platform/loop.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { findStrandedExecutors, returnJobs } from '../queries/jobs.ts';
import {
  beginLease,
  endLease,
  endSessions,
  holdName,
  renewLease,
  takeExpiredLeases,
  takeFormerLeases,
} from '../queries/leases.ts';
import type { Db } from '../schema.ts';
import { lockNumber } from './advisoryLock.ts';
import { kyselyOver } from './openDatabase.ts';
import { openServerPool } from './serverPool.ts';

/** Another live process on this database has the same name. */
export class InstanceNameTaken extends Error {
  override readonly name = 'InstanceNameTaken';
}

/** Milliseconds between two renewals at most; a short lease is renewed three times in its life. */
const BEAT_MS = 1_000;
/** Milliseconds that the database is given to answer, at most; never longer than a third of the lease. */
const ANSWER_MS = 5_000;
/** Milliseconds that a process which just died is given to let go of its name, and between two attempts to get it. */
const LET_GO_WITHIN_MS = 3_000;
const AGAIN_MS = 250;
/** What fits into a session's name beside the rest; the part drawn at the start tells processes apart. */
const LONGEST_NAME = 40;

/** The engine's name for a process that starts now: two never have the same. */
export const newExecutor = (instanceName: string): string =>
  `${instanceName.slice(0, LONGEST_NAME)}/${randomBytes(4).toString('hex')}`;

export type InstanceLeaseInput = {
  readonly databaseUrl: string;
  readonly instanceName: string;
  /** Of `newExecutor`. */
  readonly executor: string;
  readonly leaseMs: number;
  readonly time: Time;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'leaseRenewals' | 'takeovers' | 'instances'> & LoopMetrics;
};

/**
 * A process's place among those that share a database. It holds the instance's name and renews a lease, by the database's clock;
 * whose lease expires is taken over by one of the others: its sessions are ended and its jobs put back in line. Over a
 * connection of its own, so that it waits for nobody's queries.
 *
 * A lease that expired while nobody took it is renewed and nothing has happened. One that was taken is begun anew, with nothing.
 */
export class InstanceLease implements Lease {
  readonly executor: string;
  readonly #database: Db;
  readonly #ending = new AbortController();
  #renewing: Promise<void> = Promise.resolve();
  #generation = 0;
  /** By `time.monotonic()`, whose clock goes on while the process is frozen, and which nobody sets. */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Since when every renewal has come well in time. */
  #steadySince = Number.POSITIVE_INFINITY;

  private constructor(private readonly input: InstanceLeaseInput) {
    this.executor = input.executor;
    const answerMs = Math.min(ANSWER_MS, input.leaseMs / 3);
    const options = {
      size: 1,
      name: `payouts ${input.executor} lease`,
      patience: { connectMs: answerMs, queryMs: answerMs },
    };
    // A lost connection is noticed by the next renewal.
    this.#database = kyselyOver(openServerPool(input.databaseUrl, options, () => {}));
  }

  /** Takes the name and a lease, and what former processes of the name left. Throws `InstanceNameTaken`. */
  static async take(input: InstanceLeaseInput): Promise<InstanceLease> {
    const lease = new InstanceLease(input);
    try {
      const { time } = input;
      const deadline = time.monotonic() + LET_GO_WITHIN_MS;
      while (!(await lease.#begun())) {
        if (time.monotonic() >= deadline) throw nameTaken(input.instanceName);
        await time.pause(AGAIN_MS);
      }
    } catch (error) {
      await lease.#database.destroy();
      throw error;
    }
    lease.#renewing = lease.#keepRenewing();
    return lease;
  }

  get generation(): number {
    return this.#generation;
  }

  isHeld(): boolean {
    return this.input.time.monotonic() < this.#heldUntil;
  }

  /** Puts everything that is recorded as at work here back in line, and ends the lease; nothing may be at work any more. */
  async release(): Promise<void> {
    this.#ending.abort();
    await this.#renewing;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    try {
      await returnJobs(this.#database, [this.executor]);
      await endLease(this.#database, this.executor);
    } catch {
      // The database is gone: it is taken over when the lease has expired.
    }
    await this.#database.destroy();
  }

  #keepRenewing(): Promise<void> {
    const { leaseMs, metrics } = this.input;
    const beatMs = Math.min(BEAT_MS, leaseMs / 3);
    const onFailure = () => metrics.leaseRenewals.inc({ outcome: 'failed' });
    const loop = {
      ...this.input,
      name: 'lease',
      longestRetryMs: beatMs,
      signal: this.#ending.signal,
      onFailure,
    } as const;
    return runLoop(loop, async () => {
      await this.#renew();
      metrics.leaseRenewals.inc({ outcome: 'ok' });
      return beatMs;
    });
  }

  async #renew(): Promise<void> {
    const { instanceName, leaseMs, log, metrics } = this.input;
    const began = this.input.time.monotonic();
    if (!(await holdName(this.#database, lockNumber(`instance ${instanceName}`)))) throw nameTaken(instanceName);
    const others = await renewLease(this.#database, this.executor, leaseMs);
    if (others === undefined) {
      metrics.leaseRenewals.inc({ outcome: 'lost' });
      log.warn('the lease on runs expired and another process took them over; starting again with none');
      await this.#begun();
      return;
    }
    this.#held(began);
    metrics.instances.set({ state: 'live' }, others.live + 1);
    metrics.instances.set({ state: 'expired' }, others.expired);
    // After an outage of the database everybody's lease has expired: who was away as well gives the others time to renew theirs.
    if (began - this.#steadySince < leaseMs) return;
    await this.#takeOver(await takeExpiredLeases(this.#database, this.executor, leaseMs));
  }

  /** Begins a lease with nothing at work; false if another process has the name. */
  async #begun(): Promise<boolean> {
    const { instanceName: instance, leaseMs } = this.input;
    const { executor } = this;
    if (!(await holdName(this.#database, lockNumber(`instance ${instance}`)))) return false;
    const began = this.input.time.monotonic();
    this.#generation += 1;
    // Taken from the line just before the lease was lost.
    await returnJobs(this.#database, [executor]);
    await beginLease(this.#database, { executor, instance, leaseMs });
    this.#held(began);
    // Who had the name before is gone, or was cut off from it.
    await this.#takeOver(await takeFormerLeases(this.#database, instance, executor));
    return true;
  }

  /** The lease is good from when its renewal was sent: the database has counted from a later moment. */
  #held(sentAt: number): void {
    const { leaseMs } = this.input;
    if (sentAt - this.#renewedAt > leaseMs / 2) this.#steadySince = sentAt;
    this.#renewedAt = sentAt;
    this.#heldUntil = sentAt + leaseMs;
  }

  /** Takes over from processes whose leases this one has taken, and what others that did so could not end. */
  async #takeOver(dead: readonly string[]): Promise<void> {
    const { log, metrics } = this.input;
    metrics.takeovers.inc(dead.length);
    if (dead.length > 0) log.warn({ count: dead.length }, 'a process was silent for longer than its lease');
    const executors = [...new Set([...dead, ...(await findStrandedExecutors(this.#database))])];
    if (executors.length === 0) return;
    await endSessions(this.#database, executors);
    const count = await returnJobs(this.#database, executors);
    // Somebody else may have found them stranded just before.
    if (count > 0) log.warn({ count }, 'the runs of a dead process were taken over');
  }
}

const nameTaken = (instanceName: string) =>
  new InstanceNameTaken(
    `Another process named ${instanceName} works on this database: stop it, or give this one an INSTANCE_NAME of its own.`,
  );
