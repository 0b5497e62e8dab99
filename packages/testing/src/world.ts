import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BalanceProof,
  balanceProof,
  balancesOf,
  createSchedule,
  deposit,
  ensureConfig,
  isSettled,
  openVault,
  patiently,
  RequestRefused,
  readExecutions,
  readOrCreateKey,
  registerSchedule,
  type ScheduleTerms,
  type WindowRun,
  walletTokens,
} from '@payouts/cli';
import {
  addressFromBytes,
  connect,
  fetchMaybePage,
  fetchPool,
  fetchSchedule,
  findBatchAddress,
  findPageAddress,
  findPoolAddress,
  getHoldRecipientInstruction,
  getSetWhitelistInstructionAsync,
  isBitSet,
  type Ledgers,
  type LiabilityProof,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Payee,
  type Pool,
  placeOfWithdrawal,
  poolHeld,
  prepareList,
  type RecipientList,
  sendToBase,
  systemTime,
  verifyLiabilityInclusion,
} from '@payouts/client';
import { type ClusterHabits, type Localnet, type LocalnetOptions, startLocalnet } from '@payouts/localnet';
import { type CoordinatorProcess, createSampleToken, readLiabilityProofs, startCoordinator } from '@payouts/sandbox';
import { type Address, generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import { expect } from 'vitest';
import { dumpStore, recordStore } from './dump.ts';
import { type Failpoints, startHoldable } from './failpoints.ts';
import { readMetrics } from './metrics.ts';
import { type SharedPostgres, sharedPostgres } from './postgres.ts';
import { isRecording, recordPublic } from './record.ts';
import { recordList } from './recordList.ts';
import { running } from './running.ts';
import { askForShared } from './shared.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The keys that govern a deployment: `admin` deploys and funds, `authority` executes, `guardian` is the second one. */
function keysOf(folder: string): Promise<[admin: KeyPairSigner, authority: KeyPairSigner, guardian: KeyPairSigner]> {
  const key = (name: string) => readOrCreateKey(join(folder, `${name}.json`));
  return Promise.all([key('admin'), key('authority'), key('guardian')]);
}

/** Base units of a token of which there is enough for every test. */
export const SUPPLY = 2n ** 62n;

/** Seconds between two windows of a schedule whose terms say nothing else. */
export const HOUR = 3_600;

/** The calendar of a schedule whose windows are so many seconds apart. */
export const everySeconds = (every: number) => ({ unit: 'seconds', every, day: 0 }) as const;

/** Unix seconds so long from now. */
export const inSeconds = (seconds: number): bigint => BigInt(Math.floor(Date.now() / 1_000) + seconds);

/** An employer with a vault of a token. */
export interface Payer {
  readonly signer: KeyPairSigner;
  readonly mint: Address;
  readonly vault: Address;
}

/** An employer with a vault, and a list promised by a schedule. */
export interface Employer extends Payer {
  readonly schedule: Address;
  readonly list: RecipientList;
  /** Owner of each entry's private balance in base 58, by index. */
  readonly balances: readonly Address[];
}

/** Where ledgers answer that several worlds share, and the folder of their keys. */
export type SharedLedgers = Pick<
  Localnet,
  'baseRpcUrl' | 'baseWsUrl' | 'ownNode' | 'layerRpcUrl' | 'layerWsUrl' | 'layerMetricsUrl' | 'validatorIdentity'
> & { readonly keys: string };

/** The whole chain on real parts: both ledgers in processes of their own, and a coordinator that may be killed and started. */
export class World {
  /** The base ledger is read by an own node: what a test looks at is no call of the coordinator's, and not behind. */
  readonly ledgers: Ledgers;
  readonly admin: KeyPairSigner;
  readonly authority: KeyPairSigner;
  readonly guardian: KeyPairSigner;
  #coordinator: CoordinatorProcess | undefined;
  #databaseUrl: string | undefined;
  /** A shared world's own database; the coordinator of another one has its embedded one. */
  #database: string | undefined;
  #postgres: SharedPostgres | undefined;
  readonly #ends: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly folder: string,
    /** What another process, or another world, needs to use the same ledgers. */
    readonly urls: SharedLedgers,
    private readonly ownLocalnet: Localnet | undefined,
    keys: readonly [KeyPairSigner, KeyPairSigner, KeyPairSigner],
  ) {
    this.ledgers = connect({ ...urls, baseRpcUrl: urls.ownNode.rpcUrl }, systemTime);
    [this.admin, this.authority, this.guardian] = keys;
    running.add(this);
  }

  /**
   * A world on the ledgers and the PostgreSQL server that all test files of a run share (globalShared.ts): its own folder, tokens,
   * database and coordinator. For tests that neither turn the clock nor end a ledger.
   */
  static async shared(): Promise<World> {
    const shared = JSON.parse(await askForShared('LEDGERS')) as SharedLedgers;
    const folder = await mkdtemp(join(tmpdir(), 'payouts-test-'));
    await symlink(shared.keys, join(folder, 'keys'));
    const world = new World(folder, shared, undefined, await keysOf(shared.keys));
    world.#database = await world.createDatabase();
    return world;
  }

  /**
   * A world with ledgers of its own; `program`: makes the file of the ledger program in a folder, by default it is the published one;
   * `habits`: those of the base ledger once the world is there.
   */
  static async start({
    program,
    habits = {},
    ...options
  }: Pick<LocalnetOptions, 'between' | 'programs' | 'basePort'> & {
    readonly program?: (folder: string) => Promise<string>;
    readonly habits?: Partial<ClusterHabits>;
  } = {}): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'payouts-test-'));
    await mkdir(join(folder, 'keys'));
    const keys = await keysOf(join(folder, 'keys'));
    const [admin, authority, guardian] = keys;
    const localnet = await startLocalnet({
      ...options,
      directory: join(folder, 'localnet'),
      programs: [
        {
          address: PAYOUT_LEDGER_PROGRAM_ADDRESS,
          path: (await program?.(folder)) ?? join(root, 'program', 'payouts.so'),
          upgradeAuthority: admin.address,
        },
        ...(options.programs ?? []),
      ],
      time: systemTime,
    });
    const { baseRpcUrl, baseWsUrl, ownNode, layerRpcUrl, layerWsUrl, layerMetricsUrl, validatorIdentity } = localnet;
    const urls = { baseRpcUrl, baseWsUrl, ownNode, layerRpcUrl, layerWsUrl, layerMetricsUrl, validatorIdentity };
    const world = new World(folder, { ...urls, keys: join(folder, 'keys') }, localnet, keys);
    for (const signer of [admin, authority]) await world.fund(signer.address);
    await ensureConfig(world.ledgers, {
      upgradeAuthority: admin,
      guardian: guardian.address,
      executionAuthority: authority.address,
      validator: localnet.validatorIdentity,
    });
    await localnet.admin.setHabits(habits);
    return world;
  }

  /** The ledgers themselves, whose clock, processes and accounts are this world's alone. */
  get localnet(): Localnet {
    if (this.ownLocalnet === undefined)
      throw new Error('These ledgers are shared: what turns or ends them needs World.start().');
    return this.ownLocalnet;
  }

  /** The PostgreSQL server that all test files of a run share; the databases that are made here go with this world. */
  async postgres(): Promise<SharedPostgres> {
    this.#postgres ??= await sharedPostgres();
    return this.#postgres;
  }

  /** A database with all migrations, or a copy of another one that nobody is using, on the server that all test files share. */
  async createDatabase(copied?: string): Promise<string> {
    return (await this.postgres()).createDatabase(copied);
  }

  /** Has something end when this world does, before its ledgers: what was begun last ends first. */
  onStop(end: () => Promise<unknown>): void {
    this.#ends.unshift(end);
  }

  /** SOL for fees and rent. */
  fund(address: Address): Promise<unknown> {
    return this.ledgers.base.requestAirdrop(address, lamports(100_000_000_000n)).send();
  }

  get apiUrl(): string {
    if (this.#coordinator === undefined) throw new Error('the coordinator is not running');
    return this.#coordinator.url;
  }

  get coordinatorPid(): number {
    return this.#coordinator?.process.pid ?? 0;
  }

  /** The file of a payload key, for coordinators that share a database; made when it is first asked for. */
  get payloadKey(): string {
    const file = join(this.folder, 'payload.key');
    if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
    return file;
  }

  /** Where the coordinator's JSON lines go. */
  get coordinatorLog(): string {
    return join(this.folder, 'coordinator.log');
  }

  /** What a coordinator on these ledgers is set to. */
  get settings(): Record<string, string> {
    return {
      PORT: '0',
      DATA_DIR: join(this.folder, 'coordinator'),
      BASE_RPC_URL: this.urls.baseRpcUrl,
      BASE_WS_URL: this.urls.baseWsUrl,
      LAYER_RPC_URL: this.urls.layerRpcUrl,
      EXECUTION_AUTHORITY_KEY: join(this.folder, 'keys', 'authority.json'),
      ...(this.#database === undefined ? {} : { DATABASE_URL: this.#database, PAYLOAD_KEY: this.payloadKey }),
      POLL_INTERVAL_MS: '100',
      WITHDRAWAL_INTERVAL_MS: '100',
      WITHDRAWAL_BATCH_SECONDS: '2',
      // Tests look more often than anybody else would.
      READS_PER_MINUTE: '1000000',
      CONNECTIONS_PER_CLIENT: '1000000',
      REGISTRATIONS_PER_MINUTE: '1000000',
    };
  }

  /** `failpoints`: where its runs can be held. */
  async startCoordinator(settings: Readonly<Record<string, string>> = {}, failpoints?: Failpoints): Promise<void> {
    const open = isRecording && settings.METRICS_AUTH_TOKEN === undefined ? { METRICS_PUBLIC: 'true' } : {};
    const all: Readonly<Record<string, string>> = { ...this.settings, ...open, ...settings };
    this.#databaseUrl = all.DATABASE_URL ?? this.#databaseUrl;
    this.#coordinator =
      failpoints === undefined
        ? await startCoordinator(all, this.coordinatorLog)
        : await startHoldable(all, this.coordinatorLog, failpoints.onPassing);
  }

  /** What the recorded liabilities trees say of balances and open windows; the coordinator of these settings must be stopped. */
  liabilityProofs(addresses: readonly Address[], settings = this.settings): Promise<LiabilityProof[]> {
    return readLiabilityProofs(settings, addresses);
  }

  /** kill -9: nothing is flushed, nothing is said. */
  async killCoordinator(): Promise<void> {
    const child = this.#coordinator?.process;
    this.#coordinator = undefined;
    if (child === undefined || child.exitCode !== null) return;
    await new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
  }

  async stopCoordinator(): Promise<void> {
    // Answers are noted where they arrive: see recordAnswers.ts.
    if (isRecording && this.#coordinator !== undefined) {
      await fetch(`${this.apiUrl}/api/metrics`, { signal: AbortSignal.timeout(3_000) }).catch(() => {});
    }
    await this.#coordinator?.stop();
    this.#coordinator = undefined;
  }

  /** All that the coordinator keeps: every file, and every row of the database if that is a server's. */
  async stored(): Promise<Buffer[]> {
    const folder = join(this.folder, 'coordinator');
    if (this.#databaseUrl !== undefined) return [await dumpStore({ databaseUrl: this.#databaseUrl, dataDir: folder })];
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    // A database that runs removes some of its files meanwhile.
    const ifThere = (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return Buffer.alloc(0);
    };
    return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name)).catch(ifThere)));
  }

  /** A test file's worlds end by themselves: see endRunning.ts. */
  async stop(): Promise<void> {
    running.delete(this);
    for (const end of this.#ends) await end();
    await this.stopCoordinator();
    await this.#record();
    await this.ownLocalnet?.stop();
    await this.#postgres?.remove();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What this world has let out, for the search of a whole test run. */
  async #record(): Promise<void> {
    if (!isRecording) return;
    const logs = (await readdir(this.folder)).filter((name) => name.endsWith('.log'));
    for (const name of logs) recordPublic('log', await readFile(join(this.folder, name)));
    const dataDir = join(this.folder, 'coordinator');
    if (existsSync(join(dataDir, 'postgres'))) await recordStore({ databaseUrl: undefined, dataDir });
    const databaseUrl = this.#databaseUrl;
    if (databaseUrl !== undefined) await recordStore({ databaseUrl, dataDir });
  }

  /** A new token, of which all is somebody's, who gets SOL too; `freezeAuthority` may freeze accounts of it. */
  async giveToken(holder: Address, amount = SUPPLY, freezeAuthority?: Address): Promise<Address> {
    const mint = await generateKeyPairSigner();
    await this.fund(holder);
    const frozen = freezeAuthority === undefined ? {} : { freezeAuthority };
    await createSampleToken(this.ledgers, { payer: this.admin, mint, holder, amount, ...frozen });
    if (freezeAuthority !== undefined) await this.admit(mint.address);
    return mint.address;
  }

  /** Governance puts an employer or a mint on the whitelist. */
  async admit(subject: Address): Promise<void> {
    const input = { governance: this.admin, payer: this.admin, subject, allowed: 1 };
    await sendToBase(this.ledgers, [await getSetWhitelistInstructionAsync(input)], this.admin);
  }

  /** An employer with a token of their own in a vault: somebody new, or the owner of this key. */
  async payer(owner?: KeyPairSigner, freezeAuthority?: Address): Promise<Payer> {
    const signer = owner ?? (await generateKeyPairSigner());
    const mint = await this.giveToken(signer.address, SUPPLY, freezeAuthority);
    return { signer, mint, vault: await openVault(this.ledgers, signer, mint) };
  }

  /** An employer with a token of their own, funds for all executions, and the list promised on the ledger. */
  async employer(payees: readonly Payee[], terms: Partial<ScheduleTerms> = {}): Promise<Employer> {
    return this.promise(await this.payer(), payees, terms);
  }

  /** The same, while the coordinator starts; see `startCoordinator`. */
  async begin(
    payees: readonly Payee[],
    terms: Partial<ScheduleTerms>,
    ...how: Parameters<World['startCoordinator']>
  ): Promise<Employer> {
    const [employer] = await Promise.all([this.employer(payees, terms), this.startCoordinator(...how)]);
    return employer;
  }

  /** Another list promised by the same employer, with funds for all its executions. */
  async promise(
    { signer, mint, vault }: Payer,
    payees: readonly Payee[],
    terms: Partial<ScheduleTerms> = {},
  ): Promise<Employer> {
    const list = prepareList(payees);
    const executions = terms.executions ?? 2;
    await deposit(this.ledgers, signer, mint, list.total * BigInt(executions));
    const schedule = await createSchedule(this.ledgers, signer, mint, list, {
      id: 0n,
      calendar: everySeconds(HOUR),
      firstExecution: inSeconds(0),
      executions,
      batchTimeout: 60,
      ...terms,
    });
    const balances = list.recipients.map((entry) => addressFromBytes(ownerRecord(entry).owner));
    recordList(list);
    return { signer, mint, vault, schedule, list, balances };
  }

  /** The employer holds back an entry of their list. */
  async hold({ signer, vault, schedule }: Employer, index: number): Promise<void> {
    const { rootVersion } = (await fetchSchedule(this.ledgers.base, schedule)).data;
    const hold = getHoldRecipientInstruction({ employer: signer, vault, schedule, rootVersion, index });
    await sendToBase(this.ledgers, [hold], signer);
  }

  /** Asks again where a database that stands still for some seconds has it answered otherwise. */
  register({ schedule, list }: Employer): Promise<boolean> {
    return patiently(systemTime, () => registerSchedule(this.apiUrl, schedule, list));
  }

  /** The runs of a schedule, newest first. */
  executions({ schedule }: Pick<Employer, 'schedule'>): Promise<WindowRun[]> {
    return readExecutions(this.apiUrl, schedule);
  }

  /** The same for whoever asks again: none while a database or ledger stands still, which is answered 502 to 504, by design. */
  async #executionsIfAnswered(employer: Pick<Employer, 'schedule'>): Promise<WindowRun[]> {
    try {
      return await this.executions(employer);
    } catch (error) {
      if (error instanceof RequestRefused && error.status >= 502 && error.status <= 504) return [];
      throw error;
    }
  }

  /** Waits for the end of a window and returns its run. */
  async settled(employer: Employer, window: bigint, timeoutMs = 120_000, pauseMs?: number): Promise<WindowRun> {
    return until(
      async () => {
        const runs = await this.#executionsIfAnswered(employer);
        return runs.find((run) => BigInt(run.window) === window && isSettled(run));
      },
      `window ${window} to settle`,
      timeoutMs,
      pauseMs,
    );
  }

  /** The same of a window in which everybody must be paid; fails the test if not. */
  async settledInFull(employer: Employer, window: bigint, timeoutMs?: number): Promise<WindowRun> {
    const run = await this.settled(employer, window, timeoutMs);
    expectInFull(employer, run);
    return run;
  }

  /** Registers a list and waits for the end of its first window. */
  async registerAndSettle(employer: Employer): Promise<WindowRun> {
    await this.register(employer);
    return this.settled(employer, 0n);
  }

  /** Waits until a window's run is in a state, for a reason if one is named, and returns it. */
  runIn(
    employer: Pick<Employer, 'schedule'>,
    state: WindowRun['state'],
    { window = 0, errorCode }: { readonly window?: number; readonly errorCode?: string } = {},
    timeoutMs = 90_000,
  ): Promise<WindowRun> {
    const isIt = (run: WindowRun) =>
      run.window === String(window) && run.state === state && (errorCode ?? run.errorCode) === run.errorCode;
    return until(
      async () => (await this.#executionsIfAnswered(employer)).find(isIt),
      `window ${window} to be ${state} ${errorCode ?? ''}`,
      timeoutMs,
    );
  }

  /** What the coordinator's metrics show; they must be public. */
  metrics(): Promise<string> {
    return readMetrics(this.apiUrl);
  }

  /** Waits until a wallet holds exactly so much of a token. */
  arrived(wallet: Address, { mint }: Pick<Employer, 'mint'>, amount: bigint, timeoutMs?: number): Promise<true> {
    const isThere = async () => (await walletTokens(this.ledgers, wallet, mint)) === amount;
    return until(isThere, `${amount} to arrive`, timeoutMs);
  }

  /** Base units of every entry's private balance, by index. */
  async privateBalances(employer: Employer): Promise<bigint[]> {
    const found = await balancesOf(this.ledgers, employer.mint);
    return employer.balances.map((owner) => found.get(owner) ?? 0n);
  }

  /** Reads both ledgers and fails the test when any money rule is broken. All schedules with windows open must be given. */
  async checkMoneyRules(...employers: Employer[]): Promise<BalanceProof> {
    let last: BalanceProof | undefined;
    for (const mint of new Set(employers.map((employer) => employer.mint))) {
      const sharing = employers.filter((employer) => employer.mint === mint);
      const vaults = [...new Set(sharing.map(({ vault }) => vault))];
      const schedules = sharing.map(({ schedule }) => schedule);
      last = await balanceProof(this.ledgers, { mint, vaults, schedules });
      expect(last.violations).toEqual([]);
    }
    if (last === undefined) throw new Error('no employer was given');
    return last;
  }

  /**
   * Fails the test unless everybody was paid in exactly so many windows, the base ledger says so too, and every money rule holds. All
   * schedules with windows open must be given.
   */
  async checkPaid(windows: number | bigint, ...employers: Employer[]): Promise<BalanceProof> {
    const times = BigInt(windows);
    for (const employer of employers) {
      const { recipients, total } = employer.list;
      expect(await this.privateBalances(employer)).toEqual(recipients.map(({ amount }) => times * amount));
      const { data } = await fetchSchedule(this.ledgers.base, employer.schedule);
      expect(data).toMatchObject({ window: times, paidTotal: times * total });
    }
    return this.checkMoneyRules(...employers);
  }

  /** The pool of an employer's token, and what it holds by its counters. */
  async pool({ mint }: Employer): Promise<Pool & { readonly held: bigint }> {
    const { data } = await fetchPool(this.ledgers.base, await findPoolAddress(mint));
    return { ...data, held: poolHeld(data) };
  }

  /**
   * Fails the test unless the recorded liabilities tree divides the pool exactly among these balances and open windows; the coordinator
   * must be stopped, and recipients must not have asked for anything since the last recording. Returns the proofs.
   */
  async checkLiabilities(
    employer: Employer,
    addresses: readonly Address[],
    settings = this.settings,
  ): Promise<LiabilityProof[]> {
    const pool = await this.pool(employer);
    const proofs = await this.liabilityProofs(addresses, settings);
    let liabilities = 0n;
    for (const { leaf, proof } of proofs) {
      expect(
        verifyLiabilityInclusion({
          pool: { liabilitiesRoot: Uint8Array.from(pool.liabilitiesRoot), liabilityLeaves: pool.liabilityLeaves },
          leaf,
          proof,
        }),
      ).toBe(true);
      if (leaf.kind === 'window') {
        const { data } = await fetchSchedule(this.ledgers.base, leaf.schedule);
        liabilities += data.windowAmount - leaf.paid;
        continue;
      }
      const page = await fetchMaybePage(this.ledgers.base, await findPageAddress(employer.mint, leaf.number));
      const { bit } = placeOfWithdrawal(leaf.number);
      const isPaid = leaf.number !== 0n && page.exists && isBitSet(page.data.bitmap as Uint8Array, bit);
      if (!isPaid) liabilities += leaf.amount;
    }
    expect(liabilities).toBe(pool.held);
    return proofs;
  }

  batch(employer: Employer): Promise<Address> {
    return findBatchAddress(employer.schedule);
  }
}

/** Fails the test unless everybody was paid in a window. */
export function expectInFull({ list }: Employer, { claims }: WindowRun): void {
  const total = list.recipients.length;
  expect(claims).toEqual({ paid: total, total });
}

/** Polls until a value is there, or something is true; fails with what was awaited. */
export async function until<T>(
  read: () => Promise<T | undefined | false>,
  what: string,
  timeoutMs = 120_000,
  pauseMs = 50,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
