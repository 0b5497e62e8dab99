import {
  BATCH_KIND,
  type Batch,
  BatchPhase,
  bitmapSize,
  CalendarUnit,
  COUNTER_KIND,
  findBatchAddress,
  findCounterAddress,
  findPoolAddress,
  findScheduleAddress,
  findTokenAddress,
  findVaultAddress,
  MissedWindows,
  POOL_KIND,
  SCHEDULE_KIND,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
  TOKEN_PROGRAM_ADDRESS,
  VAULT_KIND,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Account, Accounts } from './accounts.ts';
import { contentOf } from './accounts.ts';
import type { Clockwork } from './chain.ts';
import type { FakeLedgers } from './fakeLedgers.ts';
import type { FakeList } from './lists.ts';

/** A token, with where its pool's tokens lie. */
export type FakeToken = { readonly mint: Address; readonly pool: Address; readonly poolToken: Address };
/** An employer's vault of a token. */
export type FakeVault = { readonly address: Address; readonly token: FakeToken; readonly vaultToken: Address };

export type ScheduleTerms = {
  readonly vault: FakeVault;
  readonly id: bigint;
  readonly list: FakeList;
  /** Seconds, and unix seconds. */
  readonly every: number;
  readonly batchTimeout: number;
  readonly firstExecution: bigint;
  readonly executions: number;
  /** Executions that the vault can pay when it is created; the employer pays the others in later. */
  readonly funded: number;
};

const VERSION = 1;
const DECIMALS = 6;
const NO_HASH = new Uint8Array(32);
const MOST_HELD = 32;
/** Lamports of an account that never runs short, and of an authority. */
const RENT = 10_000_000n;

/** What employers do on the base ledger: tokens, vaults and schedules, put there without transactions. */
export class Treasury {
  readonly #base: Accounts;
  readonly #layer: Accounts;
  readonly #clockwork: Clockwork;
  readonly #program: Address;

  constructor(input: { readonly ledgers: FakeLedgers; readonly clockwork: Clockwork; readonly program: Address }) {
    this.#base = input.ledgers.base.accounts;
    this.#layer = input.ledgers.layer.accounts;
    this.#clockwork = input.clockwork;
    this.#program = input.program;
  }

  /** A wallet with so many lamports. */
  createWallet(address: Address, lamports: bigint, ledger: 'base' | 'layer' = 'base'): void {
    this.#put(ledger, address, { owner: SYSTEM, lamports, content: { kind: 'wallet' } });
  }

  async createToken(mint: Address): Promise<FakeToken> {
    const deployment = { programAddress: this.#program };
    const pool = await findPoolAddress(mint, deployment);
    const poolToken = await findTokenAddress(pool, mint);
    this.#putTokens(poolToken, 0n);
    const none = { movedIn: 0n, returned: 0n, paidOut: 0n, open: 0n, highestWithdrawal: 0n, withdrawals: 0n };
    const liabilities = {
      liabilityLeaves: 0,
      liabilitiesRoot: NO_HASH,
      liabilitiesTotal: 0n,
      coveredTo: 1n,
      sequence: 0n,
    };
    const head = { kind: POOL_KIND, version: VERSION, bump: 255, decimals: DECIMALS };
    const where = { mint, tokenAccount: poolToken, tokenProgram: TOKEN_PROGRAM_ADDRESS };
    const value = { ...head, ...where, ...none, ...liabilities, recordedAt: 0n, redeemed: 0n, recordedIn: 0n };
    this.#put('base', pool, this.#ours({ kind: 'pool', value }));
    const counter = { kind: COUNTER_KIND, version: VERSION, bump: 255, mint, next: 1n, requested: 0n };
    this.#put('layer', await findCounterAddress(mint, deployment), this.#ours({ kind: 'counter', value: counter }));
    return { mint, pool, poolToken };
  }

  async createVault(employer: Address, token: FakeToken): Promise<FakeVault> {
    const { mint } = token;
    const address = await findVaultAddress(employer, mint, { programAddress: this.#program });
    const vaultToken = await findTokenAddress(address, mint);
    this.#putTokens(vaultToken, 0n);
    const none = {
      reserved: 0n,
      open: 0n,
      deposited: 0n,
      withdrawn: 0n,
      paid: 0n,
      nextId: 0n,
      closed: 0,
      approval: 0,
      approvalLimit: 0n,
    };
    const head = { kind: VAULT_KIND, version: VERSION, bump: 255, decimals: DECIMALS, schedules: 0 };
    const value = { ...head, employer, mint, tokenAccount: vaultToken, ...none };
    this.#put('base', address, this.#ours({ kind: 'vault', value }));
    return { address, token, vaultToken };
  }

  /** Puts a schedule and its batch on the base ledger; returns the schedule's address. */
  async createSchedule(terms: ScheduleTerms): Promise<Address> {
    const { vault, id, list } = terms;
    const deployment = { programAddress: this.#program };
    const address = await findScheduleAddress(vault.address, id, deployment);
    this.fund(vault, list.total * BigInt(terms.funded));
    this.#put('base', address, this.#ours({ kind: 'schedule', value: scheduleOf(terms) }));
    const batch = this.#ours({ kind: 'batch', value: idleBatch(address, vault.token.mint, list.recipients.length) });
    this.#put('base', await findBatchAddress(address, deployment), batch);
    return address;
  }

  /** The employer pays tokens in and promises them. */
  fund({ address, vaultToken }: FakeVault, amount: bigint): void {
    const vault = contentOf(this.#base.get(address), 'vault');
    const tokens = contentOf(this.#base.get(vaultToken), 'tokens');
    if (vault === undefined || tokens === undefined) throw new Error('The vault is not there.');
    const value = { ...vault, deposited: vault.deposited + amount, reserved: vault.reserved + amount };
    this.#put('base', address, this.#ours({ kind: 'vault', value }));
    this.#putTokens(vaultToken, tokens + amount);
  }

  /** The employer pauses a schedule, or lets it go on. */
  pause(schedule: Address, isPaused: boolean): void {
    const value = this.schedule(schedule);
    const [from, to] = isPaused
      ? [ScheduleStatus.Active, ScheduleStatus.Paused]
      : [ScheduleStatus.Paused, ScheduleStatus.Active];
    if (value.status === from) this.#putSchedule(schedule, { ...value, status: to });
  }

  /** The employer cancels a schedule: what is promised to windows that are not open is available again. */
  cancel(schedule: Address): void {
    const value = this.schedule(schedule);
    if (value.status !== ScheduleStatus.Active && value.status !== ScheduleStatus.Paused) return;
    const account = this.#base.get(value.vault) as Account;
    const vault = contentOf(account, 'vault');
    if (vault === undefined) throw new Error('The vault is not there.');
    const unopened = value.executionsLeft - (value.phase === SchedulePhase.Open ? 1 : 0);
    const promised = value.amount * BigInt(unopened);
    const reserved = vault.reserved > promised ? vault.reserved - promised : 0n;
    this.#put('base', value.vault, { ...account, content: { kind: 'vault', value: { ...vault, reserved } } });
    this.#putSchedule(schedule, { ...value, status: ScheduleStatus.Cancelled });
  }

  /** As it is on the base ledger now. */
  schedule(address: Address): Schedule {
    const value = contentOf(this.#base.get(address), 'schedule');
    if (value === undefined) throw new Error('The schedule is not there.');
    return value;
  }

  #putSchedule(address: Address, value: Schedule): void {
    this.#put('base', address, this.#ours({ kind: 'schedule', value }));
  }

  #putTokens(address: Address, amount: bigint): void {
    this.#put('base', address, {
      owner: TOKEN_PROGRAM_ADDRESS,
      lamports: RENT,
      content: { kind: 'tokens', value: amount },
    });
  }

  #ours(content: Account['content']): Account {
    return { owner: this.#program, lamports: RENT, content };
  }

  #put(ledger: 'base' | 'layer', address: Address, account: Account): void {
    (ledger === 'base' ? this.#base : this.#layer).put(address, account, this.#clockwork.now);
  }
}

const SYSTEM = '11111111111111111111111111111111' as Address;

function scheduleOf(terms: ScheduleTerms): Schedule {
  const { vault, id, list } = terms;
  return {
    kind: SCHEDULE_KIND,
    version: VERSION,
    bump: 255,
    status: ScheduleStatus.Active,
    phase: SchedulePhase.Idle,
    missed: MissedWindows.CatchUp,
    batchBump: 255,
    unit: CalendarUnit.Seconds,
    vault: vault.address,
    mint: vault.token.mint,
    root: list.root,
    id,
    amount: list.total,
    every: terms.every,
    day: 0,
    heldCount: 0,
    nextExecution: terms.firstExecution,
    window: 0n,
    recipients: list.recipients.length,
    executionsLeft: terms.executions,
    batchTimeout: terms.batchTimeout,
    rootVersion: 0,
    openedAt: 0n,
    windowAmount: 0n,
    windowRecipients: 0,
    windowRootVersion: 0,
    lastPaidCount: 0,
    windowHeld: 0,
    lastPaidAmount: 0n,
    lastBitmapHash: NO_HASH,
    lastSettledAt: 0n,
    paidTotal: 0n,
    windowMovedIn: 0n,
    held: Array(MOST_HELD).fill(0),
    proposedRoot: new Uint8Array(32),
    proposedAmount: 0n,
    proposedAt: 0n,
    proposedRecipients: 0,
    proposedExecutions: 0,
  };
}

function idleBatch(schedule: Address, mint: Address, recipients: number): Batch {
  return {
    kind: BATCH_KIND,
    version: VERSION,
    bump: 255,
    phase: BatchPhase.Idle,
    recipients: 0,
    schedule,
    mint,
    root: NO_HASH,
    window: 0n,
    openedAt: 0n,
    batchTimeout: 0,
    paidCount: 0,
    amount: 0n,
    paidAmount: 0n,
    bitmapHash: NO_HASH,
    heldCount: 0,
    bitmap: new Uint8Array(bitmapSize(recipients)),
  };
}
