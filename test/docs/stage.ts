import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { printedBy } from '@payouts/testing/command';
import { type Postgres, startPostgres, startValkey, type Valkey } from '@payouts/testing/services';
import { World } from '@payouts/testing/world';
import { copyClone } from './clone.ts';
import { peopleOf } from './people.ts';
import { writePrograms } from './programs.ts';

/** Pages that set a coordinator up themselves. */
const SETS_UP = /^docs\/(?:tutorials\/|operating\/running\.md)/;

/** For a page that starts ledgers and a coordinator itself; each ledger takes the next port as well. */
async function portsOfPage(): Promise<Record<string, string>> {
  const first = await freePorts(5);
  return { FREE_PORT_API: `${first}`, FREE_PORT_BASE: `${first + 1}`, FREE_PORT_LAYER: `${first + 3}` };
}

/** Where the pages' commands are played: a copy of the clone, homes for those who type, ledgers, and a coordinator on PostgreSQL. */
export class Stage {
  private constructor(
    private readonly world: World,
    private readonly postgres: Postgres,
    private readonly valkey: Valkey,
    readonly folder: string,
    readonly clone: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** What is set when a page is begun: the coordinator's settings, too, unless the page sets a coordinator up itself. */
  envOf(page: string): Readonly<Record<string, string>> {
    return SETS_UP.test(page) ? this.env : { ...this.settings, ...this.env };
  }

  /** What differs for somebody else who types. */
  homeOf(who: string): Record<string, string> {
    return { HOME: join(this.folder, 'homes', who) };
  }

  static async set(): Promise<Stage> {
    const parts = await Promise.all([
      World.start(),
      startPostgres(systemTime, { withClients: true }),
      startValkey(systemTime),
    ]);
    const [world, postgres, valkey] = parts;
    const folder = join(world.folder, 'stage');
    const clone = join(folder, 'clone');
    copyClone(clone);
    const [databaseUrl, otherDatabase] = [await postgres.createDatabase(), await postgres.createDatabase()];
    writeFileSync(join(clone, 'metrics.token'), 'a-token-that-only-this-test-knows', { mode: 0o600 });
    const settings: Record<string, string> = {
      ...world.settings,
      DATABASE_URL: databaseUrl,
      PAYLOAD_KEY: world.payloadKey,
      METRICS_AUTH_TOKEN_FILE: join(clone, 'metrics.token'),
    };
    await world.startCoordinator(settings);
    const words = await peopleOf(world, { homes: join(folder, 'homes'), clone });
    // So that the page's 1,000 are one part.
    await printedBy(settings, 'rounds', 'set', words.STAGE_MINT ?? '', '1000');
    const server = new URL(databaseUrl);
    writePrograms(join(folder, 'bin'));
    const env = {
      ...words,
      STAGE_BASE: world.localnet.baseRpcUrl,
      STAGE_LAYER: world.localnet.layerRpcUrl,
      STAGE_AUTHORITY: settings.EXECUTION_AUTHORITY_KEY ?? '',
      STAGE_DATABASE: databaseUrl,
      STAGE_KEY: world.payloadKey,
      OTHER_DATABASE: otherDatabase,
      RATE_LIMIT_STORE: valkey.url,
      STAGE_SERVER: databaseUrl.slice(0, databaseUrl.lastIndexOf('/')),
      PGHOST: server.hostname,
      PGPORT: server.port,
      PGUSER: server.username,
      PAYOUT_RPC: world.localnet.baseRpcUrl,
      PAYOUT_API: world.apiUrl,
      HOME: join(folder, 'homes', 'employer'),
      ...(await portsOfPage()),
      NO_COLOR: '1',
      PATH: `${join(folder, 'bin')}:${postgres.programs}:${process.env.PATH}`,
    };
    return new Stage(...parts, folder, clone, env, settings);
  }

  async strike(): Promise<void> {
    // First, since it looks into the database for what a whole test run has stored.
    await this.world.stop();
    await Promise.all([this.postgres.remove(), this.valkey.remove()]);
  }
}
