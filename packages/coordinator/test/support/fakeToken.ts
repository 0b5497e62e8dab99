import { randomBytes } from 'node:crypto';
import {
  addressToBytes,
  BatchPhase,
  BITMAP_PAGE_BITS,
  bitmapAddresses,
  bitmapPageCount,
  DELEGATION_PROGRAM_ADDRESS,
  findBatchAddress,
  findCounterAddress,
  findPageAddress,
  findPoolAddress,
  getBatchEncoder,
  getBitmapPageEncoder,
  getCounterEncoder,
  getPageEncoder,
  getPoolEncoder,
  getRecordLiabilitiesInstructionDataDecoder,
  getScheduleEncoder,
  isBitSet,
  type Liabilities,
  poolHeld,
  readSettlement,
  SchedulePhase,
} from '@payouts/client';
import { BLANK_BATCH, BLANK_POOL, BLANK_SCHEDULE } from '@payouts/testing/blankAccounts';
import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
  type Signature,
} from '@solana/kit';
import { RunError } from '../../src/domain/errors.ts';
import type {
  BaseLedger,
  ExecutionLayer,
  LedgerAccount,
  MemcmpFilter,
  SignatureStatus,
} from '../../src/ledger/ledger.ts';
import type { SettledList } from '../../src/lists/listFinder.ts';
import { setBit } from './bits.ts';
import { type FakeBalance, FakeBalances, type FakePlace, type FakeWithdrawal } from './fakeBalances.ts';
import { randomAddress } from './promised.ts';

/**
 * What becomes of the next transaction: it is never seen again; it can't be sent, and may be sent again later; or it lands but the
 * answer to its sending is lost.
 */
export type Fault = 'vanishes' | 'unsent' | 'answer-lost';

/** `amount`: what the list says that a window pays. */
export type FakePayee = FakePlace & { readonly amount: bigint };
/** A schedule whose list stands for `people` by its indexes; `open` is its open window. */
export type FakeSchedule = {
  readonly address: Address;
  readonly batch: Address;
  readonly vault: Address;
  readonly root: Uint8Array;
  readonly people: readonly FakePayee[];
  /** Of the open window, else of the next. */
  window: bigint;
  open: FakeWindow | undefined;
};
/** `isBack`: closed, and its batch back on the base ledger. `isLeaving`: closed, and the layer has given its batch away, which is not back. */
export type FakeWindow = {
  amount: bigint;
  paid: bigint;
  opening: bigint;
  bitmap: Uint8Array;
  isBack: boolean;
  isLeaving?: boolean;
};
const isClosed = ({ isBack, isLeaving }: FakeWindow) => isBack || isLeaving === true;

const CUSTOM = { StaleRoot: 6049, LiabilitiesMismatch: 6050, InvalidCoverage: 6081, BatchNotComplete: 6024 } as const;
const ZERO = new Uint8Array(32);

/** Both ledgers of one token, as far as recordings are concerned, with the ledger program's own rules for them. */
export class FakeToken {
  readonly program = randomAddress();
  readonly mint = randomAddress();
  readonly layerBalances = new FakeBalances(this.mint, this.program);
  /** By owner. */
  readonly balances = this.layerBalances.all;
  readonly schedules = new Map<Address, FakeSchedule>();
  readonly paid = new Set<bigint>();
  pool = {
    movedIn: 0n,
    returned: 0n,
    paidOut: 0n,
    openings: 0n,
    closings: 0n,
    sequence: 0n,
    recordedOpenings: 0n,
    coveredTo: 1n,
    root: ZERO,
    leaves: 0,
    withdrawals: 0n,
    highestWithdrawal: 0n,
    withdrawalsRoot: ZERO,
    withdrawalLeaves: 0,
    leastOpening: 0n,
  };
  nextNumber = 1n;
  transfers = 0n;
  fault: Fault | undefined;
  /** Wallets' token accounts. */
  readonly tokenAccounts = new Map<Address, Uint8Array>();
  /** Schedules whose windows the ledger does not let settle yet. */
  readonly early = new Set<Address>();
  /** What others do while a recording is prepared: each after so many further readings of either ledger. */
  readonly meanwhile: { after: number; readonly act: () => void }[] = [];
  /** Settlements that landed, by schedule and window, and how many transactions they took. */
  readonly settlements: string[] = [];
  transactions = 0;
  /** Readings of pages, and of all of them at once. */
  readonly reads = { pages: 0, everybody: 0 };
  readonly #statuses = new Map<Signature, SignatureStatus>();
  #height = 100n;
  #addresses: { pool: Address; counter: Address; page: Address } | undefined;
  readonly #batches = new Map<Address, FakeSchedule>();

  get held(): bigint {
    return poolHeld(this.pool);
  }

  get open(): bigint {
    return [...this.schedules.values()].reduce((sum, { open }) => sum + (open?.amount ?? 0n), 0n);
  }

  async prepare(): Promise<void> {
    const deployment = { programAddress: this.program };
    this.#addresses = {
      pool: await findPoolAddress(this.mint, deployment),
      counter: await findCounterAddress(this.mint, deployment),
      page: await findPageAddress(this.mint, 1n, deployment),
    };
  }

  async addSchedule(people: FakeSchedule['people'], vault: Address = randomAddress()): Promise<FakeSchedule> {
    const address = randomAddress();
    const batch = await findBatchAddress(address, { programAddress: this.program });
    const root = randomBytes(32);
    const schedule: FakeSchedule = { address, batch, vault, root, people, window: 0n, open: undefined };
    this.schedules.set(address, schedule);
    this.#batches.set(batch, schedule);
    return schedule;
  }

  openWindow(schedule: FakeSchedule, amount: bigint): void {
    const bitmap = new Uint8Array(Math.ceil(schedule.people.length / 8));
    this.pool.movedIn += amount;
    this.pool.openings += 1n;
    schedule.open = { amount, paid: 0n, opening: this.pool.openings, bitmap, isBack: false };
  }

  /** What belongs to an owner: what the balance holds, and what is on its way and not paid out yet. */
  holdingOf(owner: Address): bigint {
    const { amount, withdrawals } = this.balances.get(owner) as FakeBalance;
    return withdrawals.reduce((sum, each) => sum + (this.paid.has(each.number) ? 0n : each.amount), amount);
  }

  /** Pays one of a list what it says out of its open window, unless that was done or the window is closed. */
  pay({ open, people }: FakeSchedule, index: number): void {
    const person = people[index];
    if (open === undefined || person === undefined || isClosed(open)) return;
    const { amount } = person;
    if (open.paid + amount > open.amount) return;
    if (isBitSet(open.bitmap, index)) return;
    setBit(open.bitmap, index);
    open.paid += amount;
    this.layerBalances.add(person, amount);
  }

  /** A withdrawal gets its number, as far as the balance has so much. */
  withdraw(balance: FakeBalance, amount: bigint): void {
    this.layerBalances.withdraw(balance, amount, () => this.nextNumber++);
  }

  /** A private transfer is made between two balances. */
  transfer(from: FakeBalance, to: FakeBalance, amount: bigint): void {
    from.amount -= amount;
    to.amount += amount;
    this.transfers += 1n;
  }

  /** The first of a balance's withdrawals that the base may pay. */
  payableOf({ withdrawals }: FakeBalance) {
    return withdrawals.find(({ number }) => number < this.pool.coveredTo && !this.paid.has(number));
  }

  /** A withdrawal that the base may pay is paid there. */
  payOut(balance: FakeBalance, payable: FakeWithdrawal | undefined = this.payableOf(balance)): void {
    if (payable === undefined) return;
    const { number, amount } = payable;
    this.paid.add(number);
    this.pool.paidOut += amount;
    this.pool.withdrawals += 1n;
    if (number > this.pool.highestWithdrawal) this.pool.highestWithdrawal = number;
  }

  /** A schedule's list, as the store would find it. */
  readonly findList = async (address: string, root: string): Promise<SettledList | undefined> => {
    const schedule = this.schedules.get(address as Address);
    if (schedule === undefined || Buffer.from(schedule.root).toString('hex') !== root) return undefined;
    const payee = (index: number) => schedule.people[index] as FakePayee;
    return {
      count: schedule.people.length,
      places: Uint32Array.from(schedule.people, ({ place }) => place),
      ownerAt: (index) => addressToBytes(payee(index).owner),
      amountAt: (index) => payee(index).amount,
    };
  };

  readonly base: BaseLedger = {
    name: 'base',
    accounts: async (addresses) => {
      this.#tick();
      return { slot: 1n, accounts: addresses.map((address) => this.#onBase(address)) };
    },
    programAccounts: async () =>
      [...this.schedules.values()].flatMap(({ address, open }) =>
        open === undefined ? [] : [this.#onBase(address) as LedgerAccount],
      ),
    lifetime: async () => ({
      blockhash: randomAddress() as string as Blockhash,
      lastValidBlockHeight: this.#height + 20n,
    }),
    blockHeight: async () => {
      this.#height += 15n;
      return this.#height;
    },
    statuses: async (signatures) => signatures.map((signature) => this.#statuses.get(signature) ?? null),
    send: async (wire) => this.#send(wire),
  };

  readonly layer: ExecutionLayer = {
    name: 'layer',
    accounts: async (addresses) => {
      this.#tick();
      this.reads.pages += addresses.filter((address) => this.layerBalances.isPage(address)).length;
      return { slot: 1n, accounts: addresses.map((address) => this.#onLayer(address)) };
    },
    programAccounts: async (_, holding) => {
      this.#tick();
      if (holding.length < 3) this.reads.everybody += 1;
      return this.#layerHolding(holding);
    },
    lifetime: () => Promise.reject(new Error('not needed')),
    blockHeight: () => Promise.reject(new Error('not needed')),
    statuses: () => Promise.reject(new Error('not needed')),
    send: () => Promise.reject(new Error('not needed')),
  };

  #tick(): void {
    const [next] = this.meanwhile;
    if (next === undefined || next.after-- > 0) return;
    this.meanwhile.shift();
    next.act();
  }

  #send(wire: Base64EncodedWireTransaction) {
    const bytes = Buffer.from(wire, 'base64');
    // One signature after a byte that says so.
    const signature = getBase58Decoder().decode(bytes.subarray(1, 65)) as Signature;
    const { fault } = this;
    this.fault = undefined;
    if (fault === 'vanishes') return { kind: 'taken' } as const;
    if (fault === 'unsent') throw new RunError('ledger-unavailable', 'The base ledger does not answer.');
    if (this.#statuses.has(signature)) return { kind: 'duplicate' } as const;
    const code = this.#execute(bytes);
    if (code !== undefined) {
      return { kind: 'refused', err: { InstructionError: [1, { Custom: code }] }, logs: [] } as const;
    }
    this.transactions += 1;
    this.#statuses.set(signature, { err: null, commitment: 'finalized' });
    if (fault === 'answer-lost') throw new RunError('ledger-unavailable', 'The base ledger does not answer.');
    return { kind: 'taken' } as const;
  }

  /** Executes all of a transaction's instructions or none; the program's error code if none. */
  #execute(bytes: Buffer): number | undefined {
    if (bytes.length > 1_232) throw new Error('the transaction is too large');
    const { messageBytes } = getTransactionDecoder().decode(bytes);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    if (message.version !== 'legacy') throw new Error('not a legacy transaction');
    const { staticAccounts, instructions } = message;
    const before = { pool: this.pool, windows: [...this.schedules.values()].map((each) => ({ ...each })) };
    for (const { programAddressIndex, accountIndices = [], data = new Uint8Array() } of instructions) {
      if (staticAccounts[programAddressIndex] !== this.program) continue;
      const accounts = accountIndices.map((index) => staticAccounts[index] as Address);
      const code = this.#apply(data, accounts);
      if (code === undefined) continue;
      this.pool = before.pool;
      for (const { address, window, open } of before.windows) {
        Object.assign(this.schedules.get(address) as FakeSchedule, { window, open });
      }
      return code;
    }
    for (const [place, { address, window }] of before.windows.entries()) {
      const now = [...this.schedules.values()][place]?.window;
      if (now !== window) this.settlements.push(`${address}:${window}`);
    }
    return undefined;
  }

  #apply(data: ReadonlyUint8Array, accounts: Address[]) {
    const settled = readSettlement(data, accounts);
    if (settled === undefined)
      return this.#record(getRecordLiabilitiesInstructionDataDecoder().decode(data).liabilities);
    let paid = 0n;
    for (const { schedule: address, vault, window } of settled.windows) {
      const schedule = this.schedules.get(address);
      const { open } = schedule ?? {};
      if (schedule === undefined || open === undefined || schedule.window !== window || !open.isBack) return 1;
      if (vault !== schedule.vault) return 1;
      if (open.opening > this.pool.recordedOpenings) return CUSTOM.LiabilitiesMismatch;
      if (this.early.has(address)) return CUSTOM.BatchNotComplete;
      const { returned, closings } = this.pool;
      this.pool = { ...this.pool, returned: returned + open.amount - open.paid, closings: closings + 1n };
      paid += open.paid;
      schedule.open = undefined;
      schedule.window += 1n;
    }
    return paid === settled.paid ? undefined : CUSTOM.LiabilitiesMismatch;
  }

  #record(liabilities: Liabilities): number | undefined {
    if (liabilities.sequence !== this.pool.sequence + 1n) return CUSTOM.StaleRoot;
    const { sequence, total, openings, movedIn, coveredTo, leaves } = liabilities;
    if (openings < this.pool.recordedOpenings) return CUSTOM.StaleRoot;
    if (openings > this.pool.openings || total !== this.held - (this.pool.movedIn - movedIn))
      return CUSTOM.LiabilitiesMismatch;
    const { withdrawals, highestWithdrawal } = this.pool;
    const { withdrawalLeaves } = liabilities;
    const known = withdrawals + BigInt(withdrawalLeaves);
    if (coveredTo <= highestWithdrawal || coveredTo > (known > highestWithdrawal ? known : highestWithdrawal) + 1n)
      return CUSTOM.InvalidCoverage;
    const root = Uint8Array.from(liabilities.root);
    const withdrawalsRoot = Uint8Array.from(liabilities.withdrawalsRoot);
    const recorded = {
      sequence,
      recordedOpenings: openings,
      coveredTo,
      root,
      leaves,
      withdrawalsRoot,
      withdrawalLeaves,
    };
    this.pool = { ...this.pool, ...recorded };
    return undefined;
  }

  #account(address: Address, data: ArrayLike<number>, owner: Address = this.program): LedgerAccount {
    return { address, owner, lamports: 1n, data: Uint8Array.from(data) };
  }

  #onBase(address: Address): LedgerAccount | null {
    if (address === this.#addresses?.pool) {
      const { mint, open } = this;
      const { root: liabilitiesRoot, leaves: liabilityLeaves, ...pool } = this.pool;
      const data = getPoolEncoder().encode({ ...BLANK_POOL, mint, open, liabilitiesRoot, liabilityLeaves, ...pool });
      return this.#account(address, data);
    }
    if (address === this.#addresses?.page && this.paid.size > 0) {
      const bitmap = new Uint8Array(1_024);
      for (const number of this.paid) setBit(bitmap, Number(number));
      return this.#account(address, getPageEncoder().encode({ bump: 0, page: 0, mint: this.mint, bitmap }));
    }
    const schedule = this.schedules.get(address);
    if (schedule !== undefined) return this.#account(address, this.#schedule(schedule));
    const tokens = this.tokenAccounts.get(address);
    if (tokens !== undefined) return this.#account(address, tokens, BLANK_POOL.tokenProgram);
    const batch = this.#batches.get(address);
    if (batch === undefined) return null;
    if (batch.open === undefined || batch.open.isBack) return this.#batch(batch);
    return this.#account(address, [], DELEGATION_PROGRAM_ADDRESS);
  }

  #onLayer(address: Address): LedgerAccount | null {
    if (address === this.#addresses?.counter) {
      const counter = { bump: 0, mint: this.mint, next: this.nextNumber, requested: 0n, transfers: this.transfers };
      return this.#account(address, getCounterEncoder().encode(counter));
    }
    const schedule = this.#batches.get(address);
    if (schedule !== undefined) return this.#batchInLayer(schedule);
    for (const each of this.schedules.values()) {
      const bitmap = this.#bitmapPage(each, address);
      if (bitmap !== undefined) return bitmap;
    }
    return this.layerBalances.account(address) ?? null;
  }

  #batchInLayer(schedule: FakeSchedule): LedgerAccount | null {
    if (schedule.open === undefined) return null;
    const batch = this.#batch(schedule);
    return schedule.open.isLeaving === true ? { ...batch, owner: DELEGATION_PROGRAM_ADDRESS } : batch;
  }

  #batch({ batch, address, people, root, window, open }: FakeSchedule): LedgerAccount {
    const phase = open === undefined ? BatchPhase.Idle : isClosed(open) ? BatchPhase.Closed : BatchPhase.Open;
    const data = getBatchEncoder().encode({
      ...BLANK_BATCH,
      phase,
      recipients: people.length,
      schedule: address,
      mint: this.mint,
      root,
      window,
      amount: open?.amount ?? 0n,
      paidAmount: open?.paid ?? 0n,
      bitmapPages: phase === BatchPhase.Open ? 2 ** bitmapPageCount(people.length) - 1 : 0,
    });
    return this.#account(batch, data);
  }

  /** A page of an open window's bitmap, if that is its address; one that is closed has none. */
  #bitmapPage({ address: schedule, window, open, people }: FakeSchedule, at: Address): LedgerAccount | undefined {
    if (open === undefined || isClosed(open)) return undefined;
    const number = bitmapAddresses({ schedule, window, bitmapNonce: 0 }, people.length, this.program).indexOf(at);
    if (number < 0) return undefined;
    const [from, to] = [number, number + 1].map((page) => (page * BITMAP_PAGE_BITS) / 8);
    const bitmap = open.bitmap.subarray(from, to);
    return this.#account(at, getBitmapPageEncoder().encode({ bump: 0, number, schedule, window, bitmap }));
  }

  #layerHolding(holding: readonly MemcmpFilter[]): LedgerAccount[] {
    return this.layerBalances
      .accounts()
      .filter(({ data }) => holding.every(({ at, bytes }) => bytes.every((byte, place) => data[at + place] === byte)));
  }

  #schedule({ vault, window, open }: FakeSchedule): ArrayLike<number> {
    return getScheduleEncoder().encode({
      ...BLANK_SCHEDULE,
      phase: open === undefined ? SchedulePhase.Idle : SchedulePhase.Open,
      vault,
      mint: this.mint,
      window,
      recipients: 8,
      executionsLeft: 1,
      windowAmount: open?.amount ?? 0n,
      windowRecipients: 8,
      windowOpening: open?.opening ?? 0n,
    });
  }
}
