import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BalanceProof,
  balanceProof,
  type CoordinatorProcess,
  createSampleToken,
  createSchedule,
  deposit,
  type Execution,
  ensureConfig,
  isSettled,
  openVault,
  readExecutions,
  readOrCreateKey,
  registerSchedule,
  type ScheduleTerms,
  startCoordinator,
} from '@payouts/cli';
import {
  connect,
  deriveBalanceAddresses,
  findBatchAddress,
  findVaultAddress,
  getBalanceDecoder,
  type Ledgers,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type Payee,
  prepareList,
  type RecipientList,
} from '@payouts/client';
import { type Localnet, startLocalnet } from '@payouts/localnet';
import { type Address, generateKeyPairSigner, getBase64Encoder, type KeyPairSigner, lamports } from '@solana/kit';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** An employer with a vault, and a list promised by a schedule. */
export interface Employer {
  readonly signer: KeyPairSigner;
  readonly mint: Address;
  readonly vault: Address;
  readonly schedule: Address;
  readonly list: RecipientList;
  /** Private balance of each entry of the list, by index. */
  readonly balances: readonly Address[];
}

/** The whole chain on real parts: both ledgers in processes of their own, and a coordinator that may be killed and started. */
export class World {
  readonly folder: string;
  readonly localnet: Localnet;
  readonly ledgers: Ledgers;
  readonly admin: KeyPairSigner;
  readonly authority: KeyPairSigner;
  #coordinator: CoordinatorProcess | undefined;

  private constructor(folder: string, localnet: Localnet, admin: KeyPairSigner, authority: KeyPairSigner) {
    this.folder = folder;
    this.localnet = localnet;
    this.ledgers = connect(localnet);
    this.admin = admin;
    this.authority = authority;
  }

  static async start(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'payouts-test-'));
    await mkdir(join(folder, 'keys'));
    const [admin, authority] = await Promise.all(
      ['admin', 'authority'].map((name) => readOrCreateKey(join(folder, 'keys', `${name}.json`))),
    );
    if (!admin || !authority) throw new Error('no keys');
    const localnet = await startLocalnet({
      directory: join(folder, 'localnet'),
      programs: [
        {
          address: PAYOUT_LEDGER_PROGRAM_ADDRESS,
          path: join(root, 'program', 'payouts.so'),
          upgradeAuthority: admin.address,
        },
      ],
    });
    const world = new World(folder, localnet, admin, authority);
    for (const signer of [admin, authority]) await world.fund(signer.address);
    await ensureConfig(world.ledgers, {
      upgradeAuthority: admin,
      executionAuthority: authority.address,
      validator: localnet.validatorIdentity,
    });
    return world;
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

  /** Where the coordinator's JSON lines go. */
  get coordinatorLog(): string {
    return join(this.folder, 'coordinator.log');
  }

  async startCoordinator(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#coordinator = await startCoordinator(
      {
        PORT: '0',
        DATA_DIR: join(this.folder, 'coordinator'),
        BASE_RPC_URL: this.localnet.baseRpcUrl,
        BASE_WS_URL: this.localnet.baseWsUrl,
        LAYER_RPC_URL: this.localnet.layerRpcUrl,
        LAYER_WS_URL: this.localnet.layerWsUrl,
        EXECUTION_AUTHORITY_KEY: join(this.folder, 'keys', 'authority.json'),
        POLL_INTERVAL_MS: '100',
        ...settings,
      },
      this.coordinatorLog,
    );
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
    await this.#coordinator?.stop();
    this.#coordinator = undefined;
  }

  /** Every file that the coordinator keeps. */
  async coordinatorFiles(): Promise<Buffer[]> {
    const entries = await readdir(join(this.folder, 'coordinator'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name))));
  }

  async stop(): Promise<void> {
    await this.#coordinator?.stop();
    await this.localnet.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** An employer with a token of their own, funds for all executions, and the list promised on the ledger. */
  async employer(payees: readonly Payee[], terms: Partial<ScheduleTerms> = {}): Promise<Employer> {
    const signer = await generateKeyPairSigner();
    const mintKey = await generateKeyPairSigner();
    await this.fund(signer.address);
    const list = prepareList(payees);
    const executions = terms.executions ?? 2;
    const amount = list.total * BigInt(executions);
    await createSampleToken(this.ledgers, { payer: this.admin, mint: mintKey, holder: signer.address, amount });
    const mint = mintKey.address;
    await openVault(this.ledgers, signer, mint);
    await deposit(this.ledgers, signer, mint, amount);
    const schedule = await createSchedule(this.ledgers, signer, mint, list, {
      id: 0n,
      interval: 3_600n,
      firstExecution: BigInt(Math.floor(Date.now() / 1000)),
      executions,
      batchTimeout: 60,
      ...terms,
    });
    const derived = await deriveBalanceAddresses({ mint, recipients: list.recipients });
    return {
      signer,
      mint,
      vault: await findVaultAddress(signer.address, mint),
      schedule,
      list,
      balances: derived.map(({ address }) => address),
    };
  }

  register(employer: Employer): Promise<boolean> {
    return registerSchedule(this.apiUrl, employer.schedule, employer.list);
  }

  /** Waits for the end of a window and returns its run. */
  async settled(employer: Employer, window: bigint, timeoutMs = 60_000): Promise<Execution> {
    return until(
      async () => {
        const runs = await readExecutions(this.apiUrl, employer.schedule);
        return runs.find((run) => BigInt(run.window) === window && isSettled(run));
      },
      `window ${window} to settle`,
      timeoutMs,
    );
  }

  /** Base units of every entry's private balance, by index. */
  async privateBalances(employer: Employer): Promise<bigint[]> {
    const amounts: bigint[] = [];
    for (let start = 0; start < employer.balances.length; start += 100) {
      const { value } = await this.ledgers.layer
        .getMultipleAccounts(employer.balances.slice(start, start + 100), { encoding: 'base64' })
        .send();
      for (const account of value) {
        const bytes = account === null ? undefined : getBase64Encoder().encode(account.data[0]);
        amounts.push(bytes?.length === 192 ? getBalanceDecoder().decode(bytes).amount : 0n);
      }
    }
    return amounts;
  }

  /** Reads both ledgers and fails the test when any money rule is broken. */
  async checkMoneyRules(...employers: Employer[]): Promise<BalanceProof> {
    let last: BalanceProof | undefined;
    for (const { mint, vault, schedule } of employers) {
      last = await balanceProof(this.ledgers, { mint, vaults: [vault], schedules: [schedule] });
      expect(last.violations).toEqual([]);
    }
    if (last === undefined) throw new Error('no employer was given');
    return last;
  }

  batch(employer: Employer): Promise<Address> {
    return findBatchAddress(employer.schedule);
  }
}

/** Polls until a value is there; fails with what was awaited. */
export async function until<T>(
  read: () => Promise<T | undefined>,
  what: string,
  timeoutMs = 30_000,
  pauseMs = 50,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
