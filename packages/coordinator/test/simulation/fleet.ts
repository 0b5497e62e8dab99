import type { Random } from '@payouts/testing/random';
import type { Events } from './events.ts';
import { type Shared, startCoordinator } from './process/coordinator.ts';
import type { Driver } from './process/driver.ts';
import { Life } from './process/life.ts';

/** Milliseconds: after which a process that does not say anything is taken for dead, and of an orderly stop. */
const LEASE_MS = 15_000;
const GRACE_MS = 5_000;
const STOPPED_LOOK_MS = 100;
/** Milliseconds at most until a process that ended is started again, for which one is frozen, and by which clocks differ. */
const DOWN_MS = 40_000;
const FROZEN_MS = 60_000;
const SKEW_MS = 90_000;
/** Milliseconds for which none of them runs while a backup is restored: longer than anything that they asked for is on its way. */
const RESTORED_MS = 60_000;

type Member = { readonly life: Life; readonly driver: Driver };

/** What has happened to the processes. */
export type FleetCounts = { crashes: number; freezes: number; takenForDead: number; stops: number };

/** The coordinators of a world: they crash, freeze, thaw, stop in order and start again, each with its own clock. */
export class Fleet {
  readonly counts: FleetCounts = { crashes: 0, freezes: 0, takenForDead: 0, stops: 0 };
  readonly #shared: Shared;
  readonly #random: Random;
  readonly #events: Events;
  readonly #members: (Member | undefined)[];
  #starts = 0;
  #areDown = false;

  constructor(shared: Shared, size: number) {
    this.#shared = shared;
    this.#random = shared.random;
    this.#events = shared.events;
    this.#members = Array.from({ length: size }, () => undefined);
    for (let place = 0; place < size; place++) this.#start(place);
  }

  get size(): number {
    return this.#members.length;
  }

  /** Something befalls one of them, if it runs. */
  strike(): void {
    const place = this.#random.below(this.size);
    const member = this.#members[place];
    if (member === undefined || member.life.isFrozen || member.life.draining.signal.aborted) return;
    const befalls = this.#random.weighted([
      [4, () => this.#crash(place, member)],
      [3, () => this.#freeze(place, member)],
      [2, () => this.#stop(place, member)],
    ] as const);
    befalls();
  }

  /** All end; something is done to what they share, and all begin again. */
  restart(act: () => void): void {
    if (this.#areDown) return;
    this.#areDown = true;
    for (const [place, member] of this.#members.entries()) if (member !== undefined) this.#crash(place, member);
    this.#events.after(RESTORED_MS, () => {
      this.#areDown = false;
      act();
    });
  }

  #start(place: number): void {
    if (this.#areDown) {
      this.#events.after(LEASE_MS, () => this.#start(place));
      return;
    }
    this.#starts += 1;
    const { events, random, weather } = this.#shared;
    const skewMs = random.chance(0.4) ? 0 : random.between(-SKEW_MS, SKEW_MS);
    const life = new Life({ name: `${place} ${this.#starts}`, events, random, weather, skewMs });
    this.#members[place] = { life, driver: startCoordinator(life, this.#shared) };
  }

  #crash(place: number, { life }: Member): void {
    this.counts.crashes += 1;
    life.die();
    // The database sees the connections of a process end at once, or only when it has not been heard of for long.
    if (this.#random.chance(0.7)) this.#shared.locks.release(life);
    this.#startLater(place, life);
  }

  #freeze(place: number, { life, driver }: Member): void {
    this.counts.freezes += 1;
    life.freeze();
    this.#events.after(LEASE_MS, () => {
      if (!life.isFrozen || life.isDead) return;
      this.counts.takenForDead += 1;
      driver.generation += 1;
      this.#shared.locks.release(life);
      this.#shared.workflows.takeOver(life.name);
    });
    this.#events.after(1 + this.#random.below(FROZEN_MS), () => {
      // Another process may run in its place by now.
      if (life.isDead) return;
      if (this.#random.chance(0.8)) return life.thaw();
      life.die();
      this.#startLater(place, life);
    });
  }

  #stop(place: number, { life, driver }: Member): void {
    this.counts.stops += 1;
    life.abort('draining');
    const deadline = this.#events.now + GRACE_MS;
    const look = () => {
      if (life.isDead) return;
      if (!driver.isIdle && this.#events.now < deadline) return this.#events.after(STOPPED_LOOK_MS, look);
      life.abort('stopping');
      // What breaks off has a moment to note it.
      this.#events.after(STOPPED_LOOK_MS, () => {
        if (life.isDead) return;
        life.die();
        this.#shared.locks.release(life);
        this.#shared.workflows.takeOver(life.name);
        this.#startLater(place, life);
      });
    };
    look();
  }

  /** Another one begins in its place; what it has left, whatever was still on its way, is taken over when its lease is over. */
  #startLater(place: number, gone: Life): void {
    this.#members[place] = undefined;
    this.#events.after(LEASE_MS, () => {
      this.#shared.locks.release(gone);
      this.#shared.workflows.takeOver(gone.name);
    });
    this.#events.after(500 + this.#random.below(DOWN_MS), () => this.#start(place));
  }
}
