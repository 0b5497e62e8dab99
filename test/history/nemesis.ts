import { setTimeout as sleep } from 'node:timers/promises';
import { clockAheadBy } from '@payouts/testing/clockAhead';
import { Random } from '@payouts/testing/random';
import type { Recorder } from './record.ts';
import { type Coordinator, NAMES, PEERS, type Stage } from './stage.ts';

/** What can be done to the system; each is undone when it ends. */
export const FAULTS = [
  'kill',
  'pause',
  'skew',
  'cut',
  'half-open',
  'delay',
  'disk',
  'database',
  'layer-kill',
  'layer-pause',
  'latency',
] as const;
export type Fault = (typeof FAULTS)[number];
/** As a rule all but one: a validator that is killed in the moment after it has closed a batch never sends that back. */
const USUAL = FAULTS.filter((fault) => fault !== 'layer-kill');

/** Faults of a coordinator come more often than those of what all of them share. */
const WEIGHTS: Readonly<Record<Fault, number>> = {
  kill: 3,
  pause: 3,
  skew: 1,
  cut: 3,
  'half-open': 2,
  delay: 2,
  disk: 1,
  database: 1,
  'layer-kill': 1,
  'layer-pause': 1,
  latency: 2,
};

/** Milliseconds between two faults of one of those who make them, and how many of these there are. */
const REST = { least: 500, most: 5_000 };
const HANDS = 2;
/** Milliseconds until somebody starts a coordinator again that has ended by itself or could not start. */
const REVIVED_AFTER_MS = 500;
/** Seconds by which a clock is wrong. */
const MOST_SKEW = 20;

const shared = (fault: Fault): string | undefined => {
  if (fault === 'disk' || fault === 'database') return 'database';
  if (fault === 'layer-kill' || fault === 'layer-pause') return 'layer';
  return fault === 'latency' ? 'base' : undefined;
};

/** Begins a fault once it has said so, and about what; `draw` is what else of it is left to chance. */
type Beginning = (
  name: Coordinator,
  draw: number,
  begins: (about?: string) => void,
) => Promise<undefined | (() => unknown)>;

/** Does faults to a stage that follow from a seed, until it is told to stop; then everything is whole again. */
export class Nemesis {
  readonly #over = new AbortController();
  /** What somebody is at work on. */
  readonly #busy = new Set<string>();
  readonly #hands: Promise<void>[];
  readonly #keeper: Promise<void>;

  constructor(
    private readonly stage: Stage,
    private readonly recorder: Recorder,
    seed: number,
    private readonly faults: readonly Fault[] = USUAL,
  ) {
    const hands = faults.length > 0 ? HANDS : 0;
    this.#hands = Array.from({ length: hands }, (_, hand) => this.#play(new Random(seed + hand)));
    this.#keeper = this.#keepRunning();
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#hands);
    await this.#keeper;
    for (const name of NAMES) await this.#revive(name);
  }

  async #play(random: Random): Promise<void> {
    while (!this.#over.signal.aborted) {
      const fault = random.weighted(this.faults.map((each) => [WEIGHTS[each], each] as const));
      const target = shared(fault) ?? random.pick(NAMES);
      const [milliseconds, rest] = [random.between(1_000, 9_000), random.between(REST.least, REST.most)];
      const draw = random.u32();
      if (!this.#busy.has(target)) {
        this.#busy.add(target);
        await this.#suffer(fault, target, milliseconds, draw);
        this.#busy.delete(target);
      }
      await this.#wait(rest);
    }
  }

  async #suffer(fault: Fault, of: string, milliseconds: number, draw: number): Promise<void> {
    const done = await this.#beginnings[fault](of as Coordinator, draw, (about) =>
      this.recorder.note({ kind: 'fault', fault, of: about ?? of, phase: 'begin' }),
    );
    if (done === undefined) return;
    await this.#wait(milliseconds);
    await done();
    this.recorder.note({ kind: 'fault', fault, of, phase: 'end' });
  }

  /** What begins each fault, and gives what ends it; undefined: there is nobody to suffer it. */
  readonly #beginnings: Readonly<Record<Fault, Beginning>> = {
    kill: async (name, _, begins) => {
      if (!this.stage.isRunning(name)) return undefined;
      begins();
      await this.stage.cluster.kill(name);
      return () => this.#revive(name);
    },
    skew: async (name, draw, begins) => {
      if (!this.stage.isRunning(name)) return undefined;
      const seconds = (draw % (2 * MOST_SKEW + 1)) - MOST_SKEW;
      begins(`${name} ${seconds}`);
      await this.stage.cluster.kill(name);
      await this.#revive(name, { NODE_OPTIONS: clockAheadBy(seconds) });
      return () => {};
    },
    pause: async (name, _, begins) => {
      if (!this.stage.isRunning(name)) return undefined;
      begins();
      this.stage.cluster.freeze(name);
      return () => this.stage.isRunning(name) && this.stage.cluster.thaw(name);
    },
    cut: (name, draw, begins) => this.#part(name, draw, begins, (relay) => relay.cut()),
    'half-open': (name, draw, begins) => this.#part(name, draw, begins, (relay) => relay.hold()),
    delay: (name, draw, begins) => this.#part(name, draw, begins, (relay) => relay.slow(20 + (draw % 180))),
    disk: async (_, __, begins) => {
      begins();
      this.stage.postgres.disk?.fill();
      return async () => {
        this.stage.postgres.disk?.free();
        await this.#reviveDatabase();
      };
    },
    database: async (_, __, begins) => {
      begins();
      await this.stage.postgres.stop('immediate');
      return () => this.stage.postgres.start();
    },
    'layer-kill': async (_, __, begins) => {
      begins();
      await this.stage.world.localnet.killLayer('SIGKILL');
      return () => this.stage.world.localnet.restartLayer();
    },
    'layer-pause': async (_, __, begins) => {
      const pid = this.stage.world.localnet.layerPid;
      if (pid === null) return undefined;
      begins();
      process.kill(pid, 'SIGSTOP');
      return () => process.kill(pid, 'SIGCONT');
    },
    latency: async (_, draw, begins) => {
      begins();
      const { admin } = this.stage.world.localnet;
      await admin.setHabits({ landMs: 100 + (draw % 500), finalMs: 1_000 + (draw % 4_000) });
      return () => admin.setHabits({});
    },
  };

  async #part(
    name: Coordinator,
    draw: number,
    begins: (about: string) => void,
    part: (relay: { cut(): void; hold(): void; slow(milliseconds: number): void }) => void,
  ): Promise<() => void> {
    const peer = PEERS[draw % PEERS.length] as (typeof PEERS)[number];
    const links = this.stage.linksOf(name, peer);
    begins(`${name} ${peer}`);
    for (const relay of links) part(relay);
    return () => {
      for (const relay of links) relay.remedy();
    };
  }

  /** Starts again what nobody is at work on and what has ended by itself, as a supervisor does. */
  async #keepRunning(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#wait(REVIVED_AFTER_MS);
      for (const name of NAMES) {
        if (this.#busy.has(name) || this.stage.isRunning(name)) continue;
        this.#busy.add(name);
        this.recorder.note({ kind: 'fault', fault: 'kill', of: `${name} by itself`, phase: 'begin' });
        await this.#revive(name);
        this.#busy.delete(name);
      }
    }
  }

  /** Starts a coordinator until it runs. */
  async #revive(name: Coordinator, more: Readonly<Record<string, string>> = {}): Promise<void> {
    while (!this.stage.isRunning(name)) {
      // What it needs may be away.
      await this.stage.startOne(name, more).catch(() => sleep(REVIVED_AFTER_MS));
    }
  }

  /** A server that has found no room for its log may have ended. */
  async #reviveDatabase(): Promise<void> {
    const { postgres } = this.stage;
    for (let look = 0; look < 10; look++) {
      if (await postgres.answers()) return;
      await sleep(REVIVED_AFTER_MS);
    }
    await postgres.stop('immediate');
    await postgres.start();
  }

  #wait(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: this.#over.signal }).catch(() => {});
  }
}
