import { getSetRoleInstructionAsync, RoleKind, recipientsToJson, sendToBase, systemTime } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { clockAheadBy } from '@payouts/testing/clockAhead';
import { Cluster } from '@payouts/testing/cluster';
import { startPostgres, startValkey } from '@payouts/testing/services';
import { keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, inSeconds, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { ATTACKED, type Need, type Service, type Tenant } from '../service.ts';

/** Of all these, what the settings are as they come: World's own let tests look more often. */
const AS_THEY_COME = { READS_PER_MINUTE: '1200', REGISTRATIONS_PER_MINUTE: '60', CONNECTIONS_PER_CLIENT: '500' };
const OPEN = { DASHBOARD_PUBLIC: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' };
const DAY = 86_400;
/** Milliseconds between two looks for the end of a window: these count as reads. */
const LOOK_MS = 250;
/** Amounts of different lengths that stand nowhere by chance. */
const AMOUNTS = [12_347n, 678_913n, 2_345_683n, 98_765_431n, 1_234_567_893n, 55_443_322_117n];

const tenantOf = ({ signer, schedule, list }: Employer): Tenant => ({
  signer,
  schedule,
  list: recipientsToJson(list.recipients),
});

/** A service that attacks know, and how to start it anew with everything open that a setting can open. */
export type Attacked = { readonly service: Service; reopened(): Promise<Service>; stop(): Promise<void> };

type Running = Pick<Service, 'urls' | 'pid' | 'joinedAhead'>;
type Processes = { start(settings: Readonly<Record<string, string>>): Promise<Running>; stop(): Promise<void> };

/** The three employers of a world and a viewer of the first, while a service runs that hears of them. */
async function tenants(world: World, url: string, longList: number) {
  const varied = await variedPayees(AMOUNTS.length, 1n);
  const payees = varied.map((payee, at) => ({ ...payee, amount: AMOUNTS[at] as bigint }));
  const later = { firstExecution: inSeconds(DAY) };
  const employer = await world.employer(payees, { executions: 2 });
  const rival = await world.employer(await variedPayees(3, 7_777_771n), later);
  const long = await world.employer(await variedPayees(longList, 1_000_003n), later);
  for (const each of [employer, rival, long]) {
    const headers = { 'content-type': 'application/json' };
    const { schedule, list } = tenantOf(each);
    const body = JSON.stringify({ schedulePda: schedule, recipients: list });
    const { status } = await fetch(`${url}/api/schedules`, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`A list of the attacked service was answered ${status}.`);
  }
  for (;;) {
    const { executions } = (await (await fetch(`${url}/api/schedules/${employer.schedule}/executions`)).json()) as {
      executions: { window: string; state: string }[];
    };
    if (executions.some(({ window, state }) => window === '0' && state === 'settled')) break;
    await systemTime.pause(LOOK_MS);
  }
  const viewer = await generateKeyPairSigner();
  const role = { employer: employer.signer, payer: employer.signer, holder: viewer.address, kind: RoleKind.Viewer };
  await sendToBase(world.ledgers, [await getSetRoleInstructionAsync(role)], employer.signer);
  return {
    employer: tenantOf(employer),
    viewer,
    recipient: keyOf(payees[0] as (typeof payees)[0]),
    rival: tenantOf(rival),
    long: tenantOf(long),
  };
}

async function attacked(
  world: World,
  title: string,
  processes: Processes,
  {
    longList,
    has,
    operator,
  }: { readonly longList: number; readonly has: readonly Need[]; readonly operator: KeyPairSigner },
): Promise<Attacked> {
  const running = await processes.start({});
  const known = await tenants(world, running.urls[0], longList);
  const service = { ...running, ...known, operator, title };
  return {
    service: { ...service, has: [...has, 'rival', 'viewer', 'hidden', 'public-webhooks'] },
    async reopened() {
      await processes.stop();
      return { ...service, ...(await processes.start(OPEN)), has: [...has, 'rival', 'viewer', 'private-webhooks'] };
    },
    stop: () => world.stop(),
  };
}

/** One process with the embedded store. */
export async function embedded(longList: number): Promise<Attacked> {
  const [world, operator] = await Promise.all([World.start(), generateKeyPairSigner()]);
  const settings = { ...ATTACKED, ...AS_THEY_COME, OPERATORS: operator.address };
  const processes: Processes = {
    async start(more) {
      await world.startCoordinator({ ...settings, ...more });
      return { urls: [world.apiUrl], pid: world.coordinatorPid };
    },
    stop: () => world.stopCoordinator(),
  };
  return attacked(world, 'embedded store', processes, { longList, has: [], operator });
}

/** Two processes that share a PostgreSQL server and, for the limits, a Valkey server. */
export async function cluster(longList: number): Promise<Attacked> {
  const [world, postgres, valkey, operator] = await Promise.all([
    World.start(),
    startPostgres(systemTime),
    startValkey(systemTime),
    generateKeyPairSigner(),
  ]);
  for (const server of [postgres, valkey]) world.onStop(() => server.remove());
  const port = await freePorts(3);
  const ports = [port, port + 1];
  const urlAt = (each: number) => `http://127.0.0.1:${each}`;
  const urls = ports.map(urlAt) as [string, string];
  const third = port + 2;
  const settings = {
    ...ATTACKED,
    ...AS_THEY_COME,
    METRICS_PUBLIC: 'false',
    OPERATORS: operator.address,
    PUBLIC_ORIGINS: [...urls, urlAt(third)].join(),
    RATE_LIMIT_STORE_URL: valkey.url,
    DATABASE_URL: await postgres.createDatabase(),
  };
  const pair = await Cluster.start(world, [], settings);
  const joinedAhead = async (seconds: number) => {
    await pair.startOne('ahead', { PORT: String(third), NODE_OPTIONS: clockAheadBy(seconds) });
    return { url: urlAt(third), stop: () => pair.stopOne('ahead') };
  };
  const processes: Processes = {
    async start(more) {
      await Promise.all(ports.map((each) => pair.startOne(`at-${each}`, { ...more, PORT: String(each) })));
      return { urls, pid: pair.of(`at-${port}`).process.pid, joinedAhead };
    },
    async stop() {
      await Promise.all(pair.names.map((name) => pair.stopOne(name)));
    },
  };
  return attacked(world, 'PostgreSQL and Valkey, two processes', processes, { longList, has: ['two'], operator });
}
