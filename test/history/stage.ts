import { sendToBase, systemTime } from '@payouts/client';
import { fillSponsorInstruction } from '@payouts/employer';
import { freePorts } from '@payouts/localnet';
import { Cluster } from '@payouts/testing/cluster';
import { Relay } from '@payouts/testing/faults/relay';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { type Payer, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';

/** The coordinators, on one database. */
export const NAMES = ['one', 'two', 'three'] as const;
export type Coordinator = (typeof NAMES)[number];
/** What a coordinator can be parted from. */
export const PEERS = ['database', 'base', 'layer'] as const;
export type Peer = (typeof PEERS)[number];

const EMPLOYERS = 2;
/** Recipients of an employer. */
const RECIPIENTS = 5;
/** Bytes of the database's disk. */
const DISK = 384 << 20;
/** Seconds: a dead coordinator's work is taken over after it. */
const LEASE_SECONDS = 5;
/** Lamports for the token accounts of the wallets that withdrawals go to. */
const SPONSORED = 20_000_000_000n;

/** An employer with a token of their own, and everybody whom they pay. */
export type Company = Payer & {
  readonly recipients: readonly KeyPairSigner[];
  /** Of which the salts of their lists are made, so that a recipient keeps one balance. */
  readonly secret: Uint8Array;
};

/** Both ledgers, PostgreSQL on a small disk of its own, three coordinators that reach each of these through a relay, and companies. */
export class Stage {
  private constructor(
    readonly world: World,
    readonly postgres: Postgres,
    readonly cluster: Cluster,
    readonly companies: readonly Company[],
    private readonly links: ReadonlyMap<string, readonly Relay[]>,
    private readonly settings: ReadonlyMap<Coordinator, Readonly<Record<string, string>>>,
  ) {}

  /** @param program makes the ledger program's file in a folder, where it is not the published one */
  static async start(program?: (folder: string) => Promise<string>): Promise<Stage> {
    const [world, postgres] = await Promise.all([
      World.start(program === undefined ? {} : { program }),
      startPostgres(systemTime, { isDurable: true, diskBytes: DISK }),
    ]);
    world.onStop(() => postgres.remove());
    const links = new Map<string, readonly Relay[]>();
    const settings = new Map<Coordinator, Readonly<Record<string, string>>>();
    const databaseUrl = await postgres.createDatabase();
    for (const name of NAMES) {
      const relays = await parted(world, databaseUrl);
      for (const [peer, own] of Object.entries(relays.of)) links.set(`${name} ${peer}`, own);
      settings.set(name, { ...relays.settings, PORT: String(await freePorts(1)) });
    }
    // After the coordinators, which are stopped first.
    world.onStop(() => Promise.all([...links.values()].flat().map((relay) => relay.stop())));
    const shared = {
      DATABASE_URL: databaseUrl,
      LEASE_SECONDS: String(LEASE_SECONDS),
      HOLD_RECHECK_MS: '1000',
      REGISTRATIONS_AT_A_TIME: '100',
    };
    const cluster = await Cluster.start(world, [], shared);
    const companies = await Promise.all(Array.from({ length: EMPLOYERS }, () => companyOf(world)));
    const stage = new Stage(world, postgres, cluster, companies, links, settings);
    await Promise.all(NAMES.map((name) => stage.startOne(name)));
    return stage;
  }

  /** @param more settings of this start */
  startOne(name: Coordinator, more: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.cluster.startOne(name, { ...this.settings.get(name), ...more });
  }

  isRunning(name: Coordinator): boolean {
    return this.cluster.names.includes(name);
  }

  /** Where a coordinator answers while it runs. */
  urlOf(name: Coordinator): string {
    return `http://127.0.0.1:${this.settings.get(name)?.PORT}`;
  }

  /** What stands between a coordinator and what it needs. */
  linksOf(name: Coordinator, peer: Peer): readonly Relay[] {
    return this.links.get(`${name} ${peer}`) ?? [];
  }

  stop(): Promise<void> {
    return this.world.stop();
  }
}

/** Relays of one coordinator, and the settings by which it goes through them. */
async function parted({ urls }: World, databaseUrl: string) {
  const [database, rpc, subscriptions, layer] = await Promise.all(
    [databaseUrl, urls.baseRpcUrl, urls.baseWsUrl, urls.layerRpcUrl].map((url) => Relay.start(url)),
  );
  if (!database || !rpc || !subscriptions || !layer) throw new Error('A relay is missing.');
  const through = Object.assign(new URL(databaseUrl), { port: new URL(database.url).port }).href;
  return {
    of: { database: [database], base: [rpc, subscriptions], layer: [layer] } satisfies Record<Peer, Relay[]>,
    settings: {
      DATABASE_URL: through,
      BASE_RPC_URL: rpc.url,
      BASE_WS_URL: subscriptions.url,
      LAYER_RPC_URL: layer.url,
    },
  };
}

async function companyOf(world: World): Promise<Company> {
  const payer = await world.payer();
  const { signer, mint } = payer;
  await sendToBase(world.ledgers, [await fillSponsorInstruction(signer, mint, SPONSORED)], signer);
  const recipients = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  return { ...payer, recipients, secret: crypto.getRandomValues(new Uint8Array(32)) };
}
