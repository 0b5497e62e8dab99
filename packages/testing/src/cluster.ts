import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSettled, patiently, readExecutions, registerSchedule, type WindowRun } from '@payouts/cli';
import { systemTime } from '@payouts/client';
import { type CoordinatorProcess, startCoordinator } from '@payouts/sandbox';
import { rowsOf } from '@payouts/testing/services';
import { recordStore } from './dump.ts';
import { type Failpoints, startHoldable } from './failpoints.ts';
import { type Employer, expectInFull, until, type World } from './world.ts';

/** Coordinators in processes of their own that share one database and the ledgers of a world, and end with that. */
export class Cluster {
  readonly #running = new Map<string, CoordinatorProcess>();
  readonly #frozen = new Set<number | undefined>();
  /** Names of those that nobody ended. */
  readonly endedByThemselves: string[] = [];

  private constructor(
    private readonly world: World,
    readonly databaseUrl: string,
    readonly settings: Readonly<Record<string, string>>,
    private readonly failpoints: Pick<Failpoints, 'onPassing'> | undefined,
  ) {}

  /** All of them start at once, on a database of their own unless the settings name one; `failpoints`: where their runs can be held. */
  static async start(
    world: World,
    names: readonly string[],
    settings: Readonly<Record<string, string>> = {},
    failpoints?: Pick<Failpoints, 'onPassing'>,
  ): Promise<Cluster> {
    const DATABASE_URL = settings.DATABASE_URL ?? (await world.createDatabase());
    const shared = { ...world.settings, METRICS_PUBLIC: 'true', DATABASE_URL, PAYLOAD_KEY: world.payloadKey };
    const cluster = new Cluster(world, DATABASE_URL, { ...shared, ...settings }, failpoints);
    world.onStop(() => cluster.stop());
    await Promise.all(names.map((name) => cluster.startOne(name)));
    return cluster;
  }

  /** `more`: settings that differ from those of the cluster. */
  async startOne(name: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const settings = { ...this.settings, INSTANCE_NAME: name, ...more };
    const failpoints = this.failpoints;
    const started =
      failpoints === undefined
        ? await startCoordinator(settings, this.#logFile(name))
        : await startHoldable(settings, this.#logFile(name), failpoints.onPassing);
    this.#running.set(name, started);
    started.process.once('exit', () => {
      // Taken out before it is ended on purpose.
      if (this.#running.get(name) !== started) return;
      this.#running.delete(name);
      this.endedByThemselves.push(name);
    });
  }

  /** SIGTERM, as a supervisor does it; its exit code. */
  stopOne(name: string): Promise<number | null> {
    return this.#end(name, 'SIGTERM');
  }

  /** kill -9. */
  async kill(name: string): Promise<void> {
    await this.#end(name, 'SIGKILL');
  }

  async #end(name: string, signal: NodeJS.Signals): Promise<number | null> {
    const { process } = this.of(name);
    this.#running.delete(name);
    const gone = once(process, 'exit');
    process.kill(signal);
    const [code] = (await gone) as [number | null];
    return code;
  }

  /** Those that run. */
  get names(): string[] {
    return [...this.#running.keys()];
  }

  of(name: string): CoordinatorProcess {
    const running = this.#running.get(name);
    if (running === undefined) throw new Error(`the coordinator ${name} is not running`);
    return running;
  }

  #logFile(name: string): string {
    return join(this.world.folder, `${name}.log`);
  }

  /** The log's lines of one of them, from its first start, but one that is not written to its end. */
  logOf(name: string): { readonly msg: string; readonly time: number; readonly [field: string]: unknown }[] {
    const lines = readFileSync(this.#logFile(name), 'utf8').split('\n').slice(0, -1);
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  rows(query: string): Promise<Record<string, unknown>[]> {
    return rowsOf(this.databaseUrl, query);
  }

  /** Who has a run at work, by name; undefined if nobody has. */
  async workerOf(employer: Employer, window: bigint): Promise<string | undefined> {
    const [row] = await this.rows(
      `select locked_by from graphile_worker.jobs
        where key = '${employer.schedule}:${window}' and locked_by is not null`,
    );
    return row === undefined ? undefined : String(row.locked_by).split('/')[0];
  }

  /** Where a coordinator that is not frozen answers. */
  get apiUrl(): string {
    for (const { url, process } of this.#running.values())
      if (!process.signalCode && !this.#frozen.has(process.pid)) return url;
    throw new Error('no coordinator answers');
  }

  freeze(name: string): void {
    const { process } = this.of(name);
    this.#frozen.add(process.pid);
    process.kill('SIGSTOP');
  }

  thaw(name: string): void {
    const { process } = this.of(name);
    process.kill('SIGCONT');
    this.#frozen.delete(process.pid);
  }

  register({ schedule, list }: Employer): Promise<boolean> {
    return patiently(systemTime, () => registerSchedule(this.apiUrl, schedule, list));
  }

  /** Waits for the end of a window and returns its run. */
  settled({ schedule }: Employer, window: bigint, timeoutMs = 90_000): Promise<WindowRun> {
    let seen: WindowRun[] = [];
    return until(
      async () => {
        // Whoever is asked may be about to stop.
        seen = await readExecutions(this.apiUrl, schedule, 50).catch(() => seen);
        return seen.find((run) => BigInt(run.window) === window && isSettled(run));
      },
      `window ${window} to settle`,
      timeoutMs,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(seen)}`);
    });
  }

  /** The same of a window in which everybody must be paid; fails the test if not. */
  async settledInFull(employer: Employer, window: bigint, timeoutMs?: number): Promise<WindowRun> {
    const run = await this.settled(employer, window, timeoutMs);
    expectInFull(employer, run);
    return run;
  }

  async stop(): Promise<void> {
    for (const name of this.names) this.thaw(name);
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map((each) => each.stop()));
    await recordStore({ databaseUrl: this.databaseUrl, dataDir: this.world.folder });
  }
}
