import { randomBytes } from 'node:crypto';
import {
  addressFromBytes,
  BatchPhase,
  CalendarUnit,
  DELEGATION_PROGRAM_ADDRESS,
  findBatchAddress,
  findCounterAddress,
  findPageAddress,
  findPoolAddress,
  getBalanceEncoder,
  getBatchEncoder,
  getCounterEncoder,
  getPageEncoder,
  getPoolEncoder,
  getScheduleEncoder,
  MissedWindows,
  type Owed,
  SchedulePhase,
  ScheduleStatus,
  TOKEN_PROGRAM_ADDRESS,
} from '@payouts/client';
import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  getBase58Decoder,
  type Signature,
} from '@solana/kit';
import { RunError } from '../../src/domain/errors.ts';
import type { BaseLedger, ExecutionLayer, Held, LedgerAccount, SignatureStatus } from '../../src/ledger/ledger.ts';

/**
 * What becomes of the next transaction: it is never seen again; it can't be sent, and may be sent again later; or it lands but the
 * answer to its sending is lost.
 */
export type Fault = 'vanishes' | 'unsent' | 'answer-lost';

export type FakeBalance = { recipient: Address; amount: bigint; pendingNumber: bigint; pendingAmount: bigint };
export type FakeWindow = { window: bigint; amount: bigint; paid: bigint; sequence: bigint };

export const randomAddress = (): Address => addressFromBytes(randomBytes(32));
const CUSTOM = { StaleRoot: 6049, OwedMismatch: 6050, NotCovered: 6051 } as const;
const ZERO = new Uint8Array(32);

/** Both ledgers of one token, as far as recordings are concerned, with the ledger program's own rules for them. */
export class FakeToken {
  readonly program = randomAddress();
  readonly mint = randomAddress();
  readonly balances = new Map<Address, FakeBalance>();
  readonly windows = new Map<Address, FakeWindow>();
  readonly paid = new Set<bigint>();
  pool = { movedIn: 0n, returned: 0n, paidOut: 0n, sequence: 0n, coveredTo: 1n, root: ZERO, leaves: 0 };
  nextNumber = 1n;
  fault: Fault | undefined;
  /** What others do while a recording is prepared: each after so many further readings of either ledger. */
  readonly meanwhile: { after: number; readonly act: () => void }[] = [];
  /** Windows that transactions settle, by the mark in their instruction's data. */
  readonly #marked = new Map<string, { readonly owed: Owed; readonly settles: Address | undefined }>();
  readonly #statuses = new Map<Signature, SignatureStatus>();
  #height = 100n;
  #addresses: { pool: Address; counter: Address; page: Address } | undefined;
  readonly #batches = new Map<Address, Address>();

  get held(): bigint {
    return this.pool.movedIn - this.pool.returned - this.pool.paidOut;
  }

  get open(): bigint {
    return [...this.windows.values()].reduce((sum, { amount }) => sum + amount, 0n);
  }

  async prepare(): Promise<void> {
    const deployment = { programAddress: this.program };
    this.#addresses = {
      pool: await findPoolAddress(this.mint, deployment),
      counter: await findCounterAddress(this.mint, deployment),
      page: await findPageAddress(this.mint, 1n, deployment),
    };
  }

  async openWindow(schedule: Address, amount: bigint): Promise<void> {
    this.#batches.set(await findBatchAddress(schedule, { programAddress: this.program }), schedule);
    this.windows.set(schedule, { window: 0n, amount, paid: 0n, sequence: this.pool.sequence });
    this.pool.movedIn += amount;
  }

  /** A withdrawal that the base may pay is paid there. */
  payOut({ pendingNumber, pendingAmount }: FakeBalance): void {
    if (pendingNumber === 0n || pendingNumber >= this.pool.coveredTo || this.paid.has(pendingNumber)) return;
    this.paid.add(pendingNumber);
    this.pool.paidOut += pendingAmount;
  }

  /** Data for an instruction by which the fake knows what it records. */
  mark(owed: Owed, settles: Address | undefined): Uint8Array {
    const mark = randomBytes(32);
    this.#marked.set(mark.toString('hex'), { owed, settles });
    return mark;
  }

  readonly base: BaseLedger = {
    name: 'base',
    accounts: async (addresses) => {
      this.#tick();
      return { slot: 1n, accounts: addresses.map((address) => this.#onBase(address)) };
    },
    programAccounts: async () => [...this.windows.keys()].flatMap((schedule) => this.#onBase(schedule) ?? []),
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
      return { slot: 1n, accounts: addresses.map((address) => this.#onLayer(address)) };
    },
    programAccounts: async (_, holding) => {
      this.#tick();
      return this.#balancesHolding(holding);
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
    const mark = [...this.#marked.keys()].find((each) => bytes.includes(Buffer.from(each, 'hex'))) as string;
    const { fault } = this;
    this.fault = undefined;
    if (fault === 'vanishes') return { kind: 'taken' } as const;
    if (fault === 'unsent') throw new RunError('ledger-unavailable', 'The base ledger does not answer.');
    const code = this.#apply(mark);
    if (code !== undefined) {
      return { kind: 'refused', err: { InstructionError: [1, { Custom: code }] }, logs: [] } as const;
    }
    this.#statuses.set(signature, { err: null, commitment: 'finalized' });
    if (fault === 'answer-lost') throw new RunError('ledger-unavailable', 'The base ledger does not answer.');
    return { kind: 'taken' } as const;
  }

  #apply(mark: string): number | undefined {
    const { owed, settles } = this.#marked.get(mark) as { owed: Owed; settles: Address | undefined };
    const window = settles === undefined ? undefined : this.windows.get(settles);
    const remainder = window === undefined ? 0n : window.amount - window.paid;
    if (owed.sequence !== this.pool.sequence + 1n) return CUSTOM.StaleRoot;
    if (owed.total !== this.held - remainder) return CUSTOM.OwedMismatch;
    if (owed.coveredTo < this.pool.coveredTo) return CUSTOM.NotCovered;
    if (settles !== undefined) this.windows.delete(settles);
    this.pool.returned += remainder;
    const root = Uint8Array.from(owed.root);
    this.pool = { ...this.pool, sequence: owed.sequence, coveredTo: owed.coveredTo, root, leaves: owed.leaves };
    return undefined;
  }

  #account(address: Address, data: ArrayLike<number>, owner: Address = this.program): LedgerAccount {
    return { address, owner, lamports: 1n, data: Uint8Array.from(data) };
  }

  #onBase(address: Address): LedgerAccount | null {
    const { movedIn, returned, paidOut, sequence, coveredTo, root, leaves } = this.pool;
    if (address === this.#addresses?.pool) {
      const data = getPoolEncoder().encode({
        bump: 0,
        decimals: 6,
        owedLeaves: leaves,
        mint: this.mint,
        tokenAccount: this.mint,
        tokenProgram: TOKEN_PROGRAM_ADDRESS,
        movedIn,
        returned,
        paidOut,
        open: this.open,
        highestWithdrawal: 0n,
        withdrawals: 0n,
        owedRoot: root,
        owedTotal: 0n,
        coveredTo,
        sequence,
        recordedAt: 0n,
        redeemed: 0n,
      });
      return this.#account(address, data);
    }
    if (address === this.#addresses?.page && this.paid.size > 0) {
      const bitmap = new Uint8Array(1_024);
      for (const number of this.paid)
        bitmap[Number(number >> 3n)] = (bitmap[Number(number >> 3n)] ?? 0) | (1 << Number(number & 7n));
      return this.#account(address, getPageEncoder().encode({ bump: 0, page: 0, mint: this.mint, bitmap }));
    }
    const window = this.windows.get(address);
    if (window !== undefined) return this.#account(address, this.#schedule(window));
    return this.#batches.has(address) ? this.#account(address, [], DELEGATION_PROGRAM_ADDRESS) : null;
  }

  #onLayer(address: Address): LedgerAccount | null {
    if (address === this.#addresses?.counter) {
      const counter = { bump: 0, mint: this.mint, next: this.nextNumber, requested: 0n };
      return this.#account(address, getCounterEncoder().encode(counter));
    }
    const balance = this.balances.get(address);
    if (balance !== undefined) return this.#account(address, this.#balance(balance));
    const schedule = this.#batches.get(address);
    const window = schedule === undefined ? undefined : this.windows.get(schedule);
    if (schedule === undefined || window === undefined) return null;
    const data = getBatchEncoder().encode({
      bump: 0,
      phase: BatchPhase.Open,
      recipients: 8,
      schedule,
      mint: this.mint,
      root: ZERO,
      window: window.window,
      openedAt: 0n,
      batchTimeout: 1,
      paidCount: 0,
      amount: window.amount,
      paidAmount: window.paid,
      bitmapHash: ZERO,
      heldCount: 0,
      bitmap: new Uint8Array(1),
    });
    return this.#account(address, data);
  }

  #balancesHolding(holding: readonly Held[]): LedgerAccount[] {
    return [...this.balances.keys()]
      .flatMap((address) => this.#onLayer(address) ?? [])
      .filter(({ data }) => holding.every(({ at, bytes }) => bytes.every((byte, place) => data[at + place] === byte)));
  }

  #balance(balance: FakeBalance): ArrayLike<number> {
    return getBalanceEncoder().encode({
      bump: 0,
      attention: balance.pendingNumber === 0n ? 0 : 1,
      mint: this.mint,
      pendingWallet: this.mint,
      issuedAt: 0n,
      deliver: 0n,
      orderThreshold: 0n,
      orderWallet: this.mint,
      ...balance,
    });
  }

  #schedule({ window, amount }: FakeWindow): ArrayLike<number> {
    return getScheduleEncoder().encode({
      bump: 0,
      status: ScheduleStatus.Active,
      phase: SchedulePhase.Open,
      missed: MissedWindows.CatchUp,
      batchBump: 0,
      unit: CalendarUnit.Seconds,
      vault: this.mint,
      mint: this.mint,
      root: ZERO,
      id: 0n,
      amount,
      every: 1,
      day: 0,
      heldCount: 0,
      nextExecution: 0n,
      window,
      recipients: 8,
      executionsLeft: 1,
      batchTimeout: 1,
      rootVersion: 0,
      openedAt: 0n,
      windowAmount: amount,
      windowRecipients: 8,
      windowRootVersion: 0,
      lastPaidCount: 0,
      windowHeld: 0,
      lastPaidAmount: 0n,
      lastBitmapHash: ZERO,
      lastSettledAt: 0n,
      paidTotal: 0n,
      windowSequence: 0n,
      held: Array(32).fill(0),
    });
  }
}
