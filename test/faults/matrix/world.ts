import { copyFile, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { recordStore } from '@payouts/testing/dump';
import type { Passing } from '@payouts/testing/failpoints';
import { isRecording } from '@payouts/testing/record';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { World } from '@payouts/testing/world';
import { POINTS } from './cases.ts';
import { Fleet } from './fleet.ts';
import { type Lane, openLane } from './lanes.ts';

/** Seconds: a dead coordinator's runs are taken over after it. */
const LEASE_SECONDS = 5;

/** Both ledgers, a PostgreSQL server and coordinators, kept for many cases. */
export class MatrixWorld {
  readonly world: World;
  readonly postgres: Postgres;
  readonly databaseUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly fleet: Fleet;
  readonly lanes: readonly Lane[];
  /** Told of every point that a run comes to; whoever takes it returns true and lets the run go on later, or kills its process. */
  onPassing: (passing: Passing) => boolean = () => false;
  #replicas = 0;

  private constructor(world: World, postgres: Postgres, databaseUrl: string, lanes: Lane[]) {
    this.world = world;
    this.postgres = postgres;
    this.databaseUrl = databaseUrl;
    this.lanes = lanes;
    this.settings = {
      ...world.settings,
      DATABASE_URL: databaseUrl,
      PAYLOAD_KEY: world.payloadKey,
      LEASE_SECONDS: String(LEASE_SECONDS),
      // Runs that are held at a point keep their place.
      RUN_CONCURRENCY: '100',
      REGISTRATIONS_AT_A_TIME: '100',
      HOLD_RECHECK_MS: '1000',
      ...(isRecording ? { METRICS_PUBLIC: 'true' } : {}),
    };
    this.fleet = new Fleet({
      folder: world.folder,
      settings: this.settings,
      onPassing: (passing) => {
        if (!this.onPassing(passing)) passing.goOn();
      },
    });
  }

  /** With an employer for each point, so that every case of a round has a token of its own. */
  static async start(): Promise<MatrixWorld> {
    const [world, postgres] = await Promise.all([World.start(), startPostgres(systemTime)]);
    const lanes = await Promise.all(POINTS.map(() => openLane(world)));
    return new MatrixWorld(world, postgres, await postgres.createDatabase(), lanes);
  }

  /** Has exactly these coordinators running; others are stopped in order. */
  async staff(names: readonly string[]): Promise<void> {
    const { fleet } = this;
    await Promise.all(fleet.members.filter(({ name }) => !names.includes(name)).map((member) => member.stop()));
    const missing = names.filter((name) => !fleet.members.some((member) => member.name === name));
    await Promise.all(missing.map((name) => fleet.start(name)));
  }

  /** A name that no replica had before. */
  nextReplica(): string {
    this.#replicas += 1;
    return `replica-${this.#replicas}`;
  }

  /** The rows that a query of the coordinators' database finds. */
  rows(query: string): Promise<Record<string, unknown>[]> {
    return this.postgres.rows(this.databaseUrl, query);
  }

  /** Copies every log to a folder that stays, and returns its path. */
  async keepLogs(): Promise<string> {
    const kept = await mkdtemp(join(tmpdir(), 'payouts-faults-'));
    const { folder } = this.world;
    const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    for (const name of logs) await copyFile(join(folder, name), join(kept, name));
    await copyFile(join(folder, 'localnet', 'layer', 'validator.log'), join(kept, 'validator.log'));
    return kept;
  }

  async stop(): Promise<void> {
    await this.fleet.stop();
    await recordStore({ databaseUrl: this.databaseUrl, dataDir: this.world.folder });
    await this.world.stop();
    await this.postgres.remove();
  }
}
