import {
  fetchConfig,
  findConfigAddress,
  getUpdateConfigInstructionAsync,
  sendToBase,
  systemTime,
} from '@payouts/client';
import { CLUSTER_HABITS, type ClusterHabits } from '@payouts/localnet';
import { Cluster } from '@payouts/testing/cluster';
import type { Passing } from '@payouts/testing/failpoints';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { World } from '@payouts/testing/world';
import { keepLogsOf } from '../keepLogs.ts';
import { ONE_TRANSACTION, POINTS } from './cases.ts';
import type { Lane } from './lanes.ts';

/** Seconds: a dead coordinator's runs are taken over after it. */
const LEASE_SECONDS = 5;

/** What a cluster does; what its public nodes refuse is counted by client, and here many are one. */
const { landMs, finalMs, loadSends, lostShare, baseBid, behindMs } = CLUSTER_HABITS;
export const ON_CLUSTER: Partial<ClusterHabits> = { landMs, finalMs, loadSends, lostShare, baseBid, behindMs };

/** Has a claim transaction pay few, so that short lists need several. */
async function limitClaims({ ledgers, admin }: World): Promise<void> {
  const { data: config } = await fetchConfig(ledgers.base, await findConfigAddress());
  const { validator, flags, pendingGovernance } = config;
  const limits = { ...config, maxClaims: ONE_TRANSACTION };
  const input = { governance: admin, pendingGovernance, validator, flags, limits };
  await sendToBase(ledgers, [await getUpdateConfigInstructionAsync(input)], admin);
}

/** Both ledgers, a PostgreSQL server and coordinators, kept for many cases. */
export class MatrixWorld {
  /** Told of every point that a run comes to; whoever takes it returns true and lets the run go on later, or kills its process. */
  onPassing: (passing: Passing) => boolean = () => false;
  #replicas = 0;

  private constructor(
    readonly world: World,
    readonly postgres: Postgres,
    readonly lanes: readonly Lane[],
    readonly cluster: Cluster,
    private readonly habits: Partial<ClusterHabits>,
  ) {}

  /**
   * With an employer for each point, so that every case of a round has a token of its own.
   *
   * @param habits of the base ledger while a round is played
   */
  static async start(habits: Partial<ClusterHabits> = {}): Promise<MatrixWorld> {
    const [world, postgres] = await Promise.all([World.start(), startPostgres(systemTime)]);
    await limitClaims(world);
    world.onStop(() => postgres.remove());
    const lanes = await Promise.all(POINTS.map(async () => ({ ...(await world.payer()), schedules: 0 })));
    const settings = {
      DATABASE_URL: await postgres.createDatabase(),
      LEASE_SECONDS: String(LEASE_SECONDS),
      // Runs that are held at a point keep their place.
      RUN_CONCURRENCY: '100',
      REGISTRATIONS_AT_A_TIME: '100',
      HOLD_RECHECK_MS: '1000',
    };
    const onPassing = (passing: Passing) => {
      if (!matrix.onPassing(passing)) passing.goOn();
    };
    const cluster = await Cluster.start(world, [], settings, { onPassing });
    const matrix = new MatrixWorld(world, postgres, lanes, cluster, habits);
    return matrix;
  }

  /** Plays something with the base ledger's habits, which what is made ready before and looked at afterwards need not wait for. */
  async withHabits<T>(play: () => Promise<T>): Promise<T> {
    const { admin } = this.world.localnet;
    await admin.setHabits(this.habits);
    try {
      return await play();
    } finally {
      await admin.setHabits({});
    }
  }

  /** Has exactly these coordinators running; others are stopped in order. */
  async staff(names: readonly string[]): Promise<void> {
    const { cluster } = this;
    await Promise.all(cluster.names.filter((name) => !names.includes(name)).map((name) => cluster.stopOne(name)));
    await Promise.all(names.filter((name) => !cluster.names.includes(name)).map((name) => cluster.startOne(name)));
  }

  /** A name that no replica had before. */
  nextReplica(): string {
    this.#replicas += 1;
    return `replica-${this.#replicas}`;
  }

  keepLogs(): Promise<string> {
    return keepLogsOf(this.world);
  }

  stop(): Promise<void> {
    return this.world.stop();
  }
}
