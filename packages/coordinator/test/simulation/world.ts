import { createHash, type Hash } from 'node:crypto';
import { type Recipient, SchedulePhase } from '@payouts/client';
import type { Schedule, Vault } from '@payouts/testing/litesvm/handles';
import { Random } from '@payouts/testing/random';
import type { Address } from '@solana/kit';
import { observedSchedule } from '../../src/ledger/observedSchedule.ts';
import type { Logger } from '../../src/platform/log/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { associatedData } from '../../src/store/crypto/listPlace.ts';
import { localPayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { authorityOf } from './authority.ts';
import type { Bug } from './bugs.ts';
import { Events } from './events.ts';
import { Fleet, type FleetCounts } from './fleet.ts';
import { Employers } from './ledgers/employers.ts';
import { type Delays, Ledgers } from './ledgers/ledgers.ts';
import { type DrawnList, drawList } from './ledgers/lists.ts';
import { SharedLocks } from './process/locks.ts';
import { CALM, CLIMATES, PARTS, type Part, Weather } from './process/weather.ts';
import { Workflows } from './process/workflows.ts';
import { backupOfPlaces } from './store/balances.ts';
import { MemoryDatabase } from './store/database.ts';
import { type Broken, Watch } from './watch.ts';

export type WorldInput = {
  /** Decides everything. */
  readonly seed: number;
  /** Windows to be planned. */
  readonly windows: number;
  readonly bug: Bug | undefined;
  readonly log: Logger;
};

/** What has become of a world. */
export type WorldReport = {
  readonly windows: number;
  readonly broken: readonly Broken[];
  /** Of everything that was executed and recorded, with its time: the same seed gives the same. */
  readonly trace: string;
  readonly events: number;
  readonly counts: Readonly<Record<string, number>>;
};

const START = Date.UTC(2030, 0, 7);
/** Milliseconds at most until everything has ended once nothing goes wrong any more. */
const QUIET_LIMIT_MS = 3_600_000;
const OPERATOR_MS = 45_000;
const MOST_RECIPIENTS = 12;

/** One world: ledgers, a database, coordinators, employers and everything that goes wrong. Its seed decides all of it. */
export class World {
  readonly #random: Random;
  readonly #events: Events;
  readonly #weather: Weather;
  readonly #ledgers: Ledgers;
  readonly #employers: Employers;
  readonly #database = new MemoryDatabase();
  readonly #watch: Watch;
  readonly #authority: ReturnType<typeof authorityOf>;
  readonly #payloadKeys: ReturnType<typeof localPayloadKeys>;
  readonly #listOf = new Map<string, DrawnList>();
  readonly #listByRoot = new Map<string, DrawnList>();
  readonly #vaults: Vault[] = [];
  /** Of each vault's lists. */
  readonly #recipients = new Map<Vault, readonly Recipient[]>();
  readonly #schedules: { readonly schedule: Schedule; readonly unfunded: number }[] = [];
  readonly #trace: Hash = createHash('sha256');
  #lastDue = 0;
  #isQuiet = false;

  constructor(private readonly input: WorldInput) {
    const random = new Random(input.seed);
    this.#random = random;
    this.#events = new Events(random, START + random.below(1_000_000));
    this.#weather = new Weather(random);
    this.#authority = authorityOf(random.bytes(32));
    this.#payloadKeys = localPayloadKeys(random.bytes(32));
    this.#ledgers = new Ledgers({
      clockwork: this.#events,
      authority: this.#authority.address,
      delays: this.#drawDelays(),
      ...(input.bug?.beforeClaim && { beforeClaim: input.bug.beforeClaim }),
      onEffect: (ledger, changes, signature) => {
        this.#trace.update(`${this.#events.now} ${ledger} ${signature}\n`);
        this.#watch.onEffect(ledger, changes, signature);
      },
    });
    this.#employers = new Employers(this.#ledgers);
    this.#watch = new Watch({
      events: this.#events,
      ledgers: this.#ledgers,
      database: this.#database,
      lists: this.#listOf,
    });
  }

  /** Lives the world to its end. */
  async run(): Promise<WorldReport> {
    await this.#populate();
    const fleet = this.#startFleet();
    this.#plan(fleet);
    const begun = this.#events.now;
    const isOver = () => this.#isQuiet && this.#hasEnded();
    const limit = this.#lastDue + QUIET_LIMIT_MS;
    await this.#events.run(() => this.#watch.broken.length > 0 || isOver() || this.#events.now > limit);
    if (this.#watch.broken.length === 0) await this.#watch.atEnd();
    return this.#report(fleet.counts, begun);
  }

  #drawDelays(): Delays {
    const random = this.#random;
    const isLocal = random.chance(0.9);
    const confirmMs = isLocal ? random.between(50, 800) : random.between(400, 2_000);
    const finalMs = confirmMs + (isLocal ? random.between(50, 1_500) : random.between(5_000, 14_000));
    const layerMs = random.between(1, 40);
    const showMs = random.between(50, 2_000);
    const backMs = random.between(50, 3_000);
    const seldom = (probability: number, most: number) => (random.chance(probability) ? random.below(most) : 0);
    return {
      confirmMs,
      finalMs,
      land: () => (this.#weather.toBytes('lost') ? undefined : random.between(20, 800) + seldom(0.05, 40_000)),
      execute: () => (this.#weather.toBytes('lost') ? undefined : 1 + random.below(layerMs) + seldom(0.02, 3_000)),
      show: () => random.below(showMs) + seldom(0.03, 20_000),
      giveBack: () => random.below(backMs) + seldom(0.03, 60_000),
      letGo: () => (random.chance(0.03) ? random.below(4_000) : undefined),
    };
  }

  async #populate(): Promise<void> {
    const random = this.#random;
    const tokens = random.between(1, 3);
    for (let place = 0; place < tokens; place++) {
      const token = await this.#employers.createToken(`${place}`);
      const employers = random.between(1, 3);
      for (let each = 0; each < employers; each++) {
        this.#vaults.push(await this.#employers.createVault(`${place} ${each}`, token));
      }
    }
    let left = this.input.windows;
    for (let id = 0n; left > 0; id++) {
      const executions = Math.min(
        left,
        random.weighted([
          [2, 1],
          [3, 3],
          [3, 5],
          [2, 8],
        ] as const),
      );
      left -= executions;
      await this.#addSchedule(id, executions);
    }
  }

  async #addSchedule(id: bigint, executions: number): Promise<void> {
    const random = this.#random;
    const vault = random.pick(this.#vaults);
    const count = random.between(1, MOST_RECIPIENTS);
    const list = await drawList(random, { count, known: this.#recipients.get(vault) ?? [] });
    this.#recipients.set(vault, [
      ...new Map(
        [...(this.#recipients.get(vault) ?? []), ...list.recipients].map((each) => [each.recipient, each]),
      ).values(),
    ]);
    const every = random.between(20, 60);
    // Many are due in the same second, some long after the others.
    const wait = random.weighted([
      [5, () => 10],
      [4, () => random.between(5, 60)],
      [2, () => random.between(60, 400)],
    ] as const);
    const first = Math.floor(this.#events.now / 1_000) + wait();
    const unfunded = random.chance(0.9) ? 0 : random.below(executions);
    const batchTimeout = random.between(30, 240);
    const terms = { vault, id, list, every, batchTimeout, firstExecution: BigInt(first) };
    const schedule = await this.#employers.createSchedule({ ...terms, executions: executions - unfunded });
    this.#lastDue = Math.max(this.#lastDue, (first + every * executions) * 1_000);
    this.#schedules.push({ schedule, unfunded });
    this.#listOf.set(schedule.address, list);
    const root = Buffer.from(list.root).toString('hex');
    this.#listByRoot.set(root, list);
    await this.#register(schedule.address, root, list);
  }

  async #register(address: Address, root: string, list: DrawnList): Promise<void> {
    const { length: recipients } = list.recipients;
    const place = { schedule: address, root: list.root, recipients };
    const { keyId, wrapped } = await this.#payloadKeys.wrap(this.#random.bytes(32), associatedData(place, 'key'));
    const id = this.#database.nextId();
    const row = { id, schedule: address, root, recipients, wrapped_key: wrapped, key_id: keyId, places: null };
    this.#database.lists.set(id, row);
    const seen = observedSchedule(address, this.#employers.terms(address), 0n, this.#events.now);
    this.#database.schedules.set(address, seen);
  }

  #startFleet(): Fleet {
    const size = this.#random.weighted([
      [2, 1],
      [3, 2],
      [3, 3],
      [1, 4],
    ] as const);
    const shared = {
      events: this.#events,
      random: this.#random,
      weather: this.#weather,
      ledgers: this.#ledgers,
      database: this.#database,
      workflows: new Workflows(),
      locks: new SharedLocks(),
      authority: this.#authority,
      payloadKeys: this.#payloadKeys,
      metrics: createMetrics(),
      log: this.input.log,
      bug: this.input.bug,
      lists: this.#listByRoot,
      watch: this.#watch,
    };
    return new Fleet(shared, size);
  }

  /** What goes wrong, and what people do, from time to time until the world becomes quiet. */
  #plan(fleet: Fleet): void {
    const random = this.#random;
    this.#weather.climate = random.weighted(CLIMATES);
    const often = (meanMs: number, act: () => void) => {
      const next = () =>
        this.#events.after(random.below(2 * meanMs), () => {
          if (this.#isQuiet) return;
          act();
          next();
        });
      next();
    };
    often(random.between(10_000, 90_000) / fleet.size, () => fleet.strike());
    often(random.between(60_000, 300_000), () => this.#goneForAWhile(random.pick(PARTS)));
    often(random.between(60_000, 300_000), () => this.#restartLayer());
    often(120_000, () => this.#holdFinality());
    often(60_000, () => {
      this.#ledgers.layer.behindMs = random.chance(0.5) ? 0 : random.below(8_000);
    });
    often(40_000, () => this.#employerActs());
    const isRestored = random.chance(0.5) || this.input.bug?.balanceStore !== undefined;
    if (isRestored) this.#losePlaces(fleet, often, this.input.bug?.balanceStore === undefined ? 80_000 : 20_000);
    this.#operate();
    this.#events.after(this.#lastDue + 30_000 - this.#events.now, () => this.#becomeQuiet());
  }

  /** From time to time a backup of places is restored: what was given since then is lost. */
  #losePlaces(fleet: Fleet, often: (meanMs: number, act: () => void) => void, restoredMs: number): void {
    let restore = backupOfPlaces(this.#database);
    often(60_000, () => {
      restore = backupOfPlaces(this.#database);
    });
    often(restoredMs, () => fleet.restart(() => restore()));
  }

  #becomeQuiet(): void {
    this.#isQuiet = true;
    this.#weather.climate = CALM;
    for (const part of PARTS) this.#weather.setGone(part, false);
    this.#ledgers.setLayerDown(false);
    this.#ledgers.holdFinality(false);
    this.#ledgers.layer.behindMs = 0;
    for (const { schedule, unfunded } of this.#schedules) {
      this.#employers.resume(schedule);
      if (unfunded > 0) this.#employers.fund(schedule, unfunded);
    }
  }

  #goneForAWhile(part: Part): void {
    this.#weather.setGone(part, true);
    this.#events.after(this.#random.below(30_000), () => this.#weather.setGone(part, false));
  }

  #restartLayer(): void {
    this.#weather.setGone('layer', true);
    this.#ledgers.setLayerDown(true);
    this.#events.after(this.#random.below(20_000), () => {
      this.#weather.setGone('layer', false);
      this.#ledgers.setLayerDown(false);
    });
  }

  #holdFinality(): void {
    this.#ledgers.holdFinality(true);
    this.#events.after(this.#random.below(90_000), () => this.#ledgers.holdFinality(false));
  }

  #employerActs(): void {
    const random = this.#random;
    const { schedule } = random.pick(this.#schedules);
    if (random.chance(0.1)) {
      this.#employers.cancel(schedule);
      return;
    }
    this.#employers.pause(schedule);
    this.#events.after(random.below(60_000), () => this.#employers.resume(schedule));
  }

  /** An operator has stopped runs go on, sooner or later. */
  #operate(): void {
    const stopped = new Set(['held', 'exhausted', 'failed']);
    for (const run of this.#database.runs.values()) {
      if (!stopped.has(run.state) || this.#random.chance(0.5)) continue;
      const last = this.#database.attemptsOf(run.id).at(-1)?.id ?? 0;
      this.#database.changeRun(run.id, { resume_at: '0', retries_after: last });
    }
    this.#events.after(OPERATOR_MS, () => this.#operate());
  }

  #hasEnded(): boolean {
    for (const run of this.#database.runs.values()) if (run.finished_at === null) return false;
    return this.#schedules.every(({ schedule }) => {
      const { phase, status, executionsLeft } = this.#employers.terms(schedule.address);
      return phase === SchedulePhase.Idle && (executionsLeft === 0 || status !== 0);
    });
  }

  #report(happened: FleetCounts, begun: number): WorldReport {
    for (const run of this.#database.runs.values()) {
      this.#trace.update(`${run.schedule} ${run.window_number} ${run.state} ${run.finished_at} ${run.claims_paid}\n`);
    }
    this.#trace.update(`${this.#events.count} events`);
    const attempts = [...this.#database.attempts.values()];
    return {
      windows: this.input.windows,
      broken: this.#watch.broken,
      trace: this.#trace.digest('hex'),
      events: this.#events.count,
      counts: {
        opened: this.#watch.opened,
        paid: this.#watch.payments,
        attempts: attempts.length,
        interrupted: attempts.filter(({ outcome }) => outcome === 'interrupted').length,
        retried: attempts.filter(({ outcome }) => outcome === 'retried').length,
        transactions: this.#database.transactions.size,
        expired: [...this.#database.transactions.values()].filter(({ outcome }) => outcome === 'expired').length,
        ...happened,
        ...this.#weather.counts,
        seconds: Math.round((this.#events.now - begun) / 1_000),
      },
    };
  }
}
