import type { Schedule, Token, Vault } from '@payouts/testing/litesvm/handles';
import type { Address } from '@solana/kit';
import { type LiabilityBalance, LiabilityTree, type LiabilityWindow } from '../harness/liabilities.ts';
import type { List } from '../harness/list.ts';
import type { WithdrawalTree } from '../harness/withdrawals.ts';
import { Balances } from './balances.ts';
import { known, rule, Violation } from './rule.ts';

export { rule, Violation };

/** What the pool of a token must look like, and what is owed from it. */
export interface TokenModel {
  readonly token: Token;
  supply: bigint;
  movedIn: bigint;
  returned: bigint;
  paidOut: bigint;
  open: bigint;
  sequence: bigint;
  recordedIn: bigint;
  /** Windows opened, and how many of them the recorded tree knows. */
  openings: bigint;
  recordedOpenings: bigint;
  /** Windows that were closed. */
  closings: bigint;
  /** What is left of the recorded tree's total. */
  left: bigint;
  /** Least amount for which the sponsor opens a wallet's account. */
  leastOpening: bigint;
  coveredTo: bigint;
  /** The withdrawals that were recorded to be paid; undefined: by a root that the model has no tree of. */
  payable: WithdrawalTree | undefined;
  payableRoot: string;
  payableLeaves: number;
  nextNumber: bigint;
  /** Amount and every wallet that was named for it, by number. */
  readonly withdrawals: Map<bigint, { amount: bigint; wallets: Set<Address> }>;
  readonly paidNumbers: Set<bigint>;
  readonly redeemed: Set<number>;
  /** The tree recorded last; undefined: somebody recorded one that the model can't follow. */
  recorded: LiabilityTree | undefined;
  /** The layer or its coordinator has lied about this pool, so that it needn't hold what it owes, exactly. */
  lied: boolean;
}

export interface VaultModel {
  readonly vault: Vault;
  readonly token: TokenModel;
  readonly schedules: Set<ScheduleModel>;
  deposited: bigint;
  withdrawn: bigint;
  paid: bigint;
  closed: boolean;
  nextId: bigint;
  policy: PolicyModel | undefined;
  /** Withdrawn and newly promised without the approver, on that UTC day. */
  spent: { readonly day: bigint; readonly sum: bigint };
}

/** Who approves what is above the limit, and the change of that which waits. */
export interface PolicyModel {
  readonly approver: Address;
  readonly limit: bigint;
  readonly dailyLimit: bigint;
  readonly change:
    | { readonly approver: Address; readonly limit: bigint; readonly dailyLimit: bigint; readonly at: bigint }
    | undefined;
}

/** What waits for the approver. */
export interface ProposalModel {
  readonly at: bigint;
  /** undefined: the list stays. */
  readonly list:
    | {
        readonly root: string;
        readonly amount: bigint;
        readonly recipients: number;
        readonly held: readonly number[];
        /** What the schedule's `holds` was when it was proposed. */
        readonly holds: number;
      }
    | undefined;
  /** How many more. */
  readonly executions: number;
}

export type Status = 'active' | 'paused' | 'cancelled' | 'completed' | 'awaiting';

export interface ScheduleModel {
  readonly schedule: Schedule;
  readonly vault: VaultModel;
  root: string;
  list: List | undefined;
  amount: bigint;
  recipients: number;
  left: number;
  /** Windows that are to be reserved at a time; 0: it has an end. */
  readonly kept: number;
  /** Of a schedule without an end: windows that are. */
  reserved: number;
  proposal: ProposalModel | undefined;
  /** Lists and amounts that may be paid: below the limit when they were promised, or approved. */
  readonly approved: Set<string>;
  status: Status;
  readonly timeout: bigint;
  readonly skips: boolean;
  window: bigint;
  /** Of the list, which a hold names. */
  version: number;
  held: Set<number>;
  /** How often it has changed who is held back. */
  holds: number;
  open: WindowModel | undefined;
}

/** Windows that are left and have not opened. */
export const unopened = ({ left, open }: ScheduleModel): number => left - (open === undefined ? 0 : 1);

/** What an approver decides about, whatever else becomes of a schedule. */
export const termsText = ({ root, amount, recipients }: { root: string; amount: bigint; recipients: number }): string =>
  `${root} ${amount} ${recipients}`;

const DAY = 86_400n;

/** Whether the employer alone may withdraw or newly promise `sum`, of which `amount` at a time; it counts for the day then. */
export function spendsAlone(vault: VaultModel, amount: bigint, sum: bigint, now: bigint): boolean {
  const { policy } = vault;
  if (policy === undefined) return true;
  const day = now / DAY;
  const spent = (vault.spent.day === day ? vault.spent.sum : 0n) + sum;
  if (amount > policy.limit || spent > policy.dailyLimit) return false;
  vault.spent = { day, sum: spent };
  return true;
}

export interface WindowModel {
  readonly number: bigint;
  readonly amount: bigint;
  readonly list: List | undefined;
  readonly recipients: number;
  readonly held: ReadonlySet<number>;
  readonly openedAt: bigint;
  /** What had moved into the pool with it. */
  /** Its place among the openings of its pool. */
  readonly opening: bigint;
  claimed: Set<number>;
  paid: bigint;
  /** The pages of its bitmap that were made, by number. */
  readonly bitmap: Map<number, Address>;
  /** What they were made with. */
  bitmapNonce: number;
  /** What the layer has hashed its bitmap to; zero: it had no whole one. */
  hash: Uint8Array;
  /** Where the batch is. */
  place: 'layer' | 'committed' | 'base';
  /** It came back closed. */
  isClosed: boolean;
  /** The batch came back otherwise than the program made it. */
  lied: boolean;
}

/** A token account that exists: who may move its tokens, and how many are in it. */
export interface Purse {
  readonly owner: Address;
  readonly token: TokenModel;
  amount: bigint;
}

/** What the ledgers must look like, told from the instructions that succeeded and from nothing that the program wrote. */
export class Model {
  pendingGovernance: Address | undefined;
  /** The key that may take the execution authority over, and from when. */
  proposed: { readonly authority: Address; readonly from: bigint } | undefined;
  /** Who may take the place of a key, and from when. */
  readonly next: Record<'governance' | 'guardian', { readonly key: Address; readonly from: bigint } | undefined> = {
    governance: undefined,
    guardian: undefined,
  };
  suspendedUntil = 0n;
  readonly revokesFrom = { governance: 0n, guardian: 0n };
  readonly suspendsFrom = { governance: 0n, guardian: 0n };
  lossDeclaredAt = 0n;
  lossGrace = 86_400n;
  /** Once lost, for good. */
  lost = false;
  /** Roles or limits are such that nothing would go on: governance must fix them. */
  spoiled = false;
  /** The layer has lost its state: what was owed can only be known from the recorded tree. */
  layerReset = false;
  readonly tokens = new Map<Address, TokenModel>();
  readonly vaults = new Map<Address, VaultModel>();
  readonly schedules = new Map<Address, ScheduleModel>();
  readonly byBatch = new Map<Address, ScheduleModel>();
  readonly balances = new Balances();
  readonly purses = new Map<Address, Purse>();
  /** Lists by their root in hexadecimal digits. */
  readonly lists = new Map<string, List>();

  constructor(
    public governance: Address,
    public guardian: Address,
    public authority: Address,
  ) {}

  tokenOfPool(pool: Address): TokenModel {
    for (const token of this.tokens.values()) if (token.token.pool === pool) return token;
    throw new Violation(`${pool} is no pool`);
  }

  vault(address: Address): VaultModel {
    return known(this.vaults.get(address), address, 'vault');
  }

  schedule(address: Address): ScheduleModel {
    return known(this.schedules.get(address), address, 'schedule');
  }

  batch(address: Address): ScheduleModel {
    return known(this.byBatch.get(address), address, 'batch');
  }

  purse(address: Address): Purse {
    return known(this.purses.get(address), address, 'token account');
  }

  move(from: Address, to: Address, amount: bigint): void {
    // Where nothing is moved, nobody looks at the accounts.
    if (amount === 0n) return;
    const [source, destination] = [this.purse(from), this.purse(to)];
    rule(source.token === destination.token, 'tokens went to an account of another mint');
    rule(source.amount >= amount, 'an account gave more than it had');
    source.amount -= amount;
    destination.amount += amount;
  }

  /** Whether a window is complete: everybody paid who is not held back. */
  isComplete({ recipients, held, claimed }: WindowModel): boolean {
    return claimed.size >= recipients - held.size;
  }

  reserved(vault: VaultModel): bigint {
    let sum = 0n;
    for (const schedule of vault.schedules) {
      const windows = schedule.kept === 0 ? unopened(schedule) : schedule.reserved;
      sum += schedule.amount * BigInt(windows);
    }
    return sum;
  }

  /** Reserves for a schedule without an end, window by window, while it keeps more and the vault can pay; how many. */
  refill(schedule: ScheduleModel): number {
    const before = schedule.reserved;
    while (
      schedule.reserved < Math.min(schedule.kept, unopened(schedule)) &&
      this.available(schedule.vault) >= schedule.amount
    ) {
      schedule.reserved += 1;
    }
    return schedule.reserved - before;
  }

  openIn(vault: VaultModel): bigint {
    let sum = 0n;
    for (const { open } of vault.schedules) sum += open?.amount ?? 0n;
    return sum;
  }

  available(vault: VaultModel): bigint {
    const { deposited, withdrawn, paid } = vault;
    return deposited - withdrawn - paid - this.reserved(vault) - this.openIn(vault);
  }

  held({ movedIn, returned, paidOut }: TokenModel): bigint {
    return movedIn - returned - paidOut;
  }

  /** Sum of what is owed: open budgets, private balances, withdrawals under way. */
  liabilities(token: TokenModel): bigint {
    let sum = 0n;
    for (const { amount, paid } of this.windowsOf(token)) sum += amount - paid;
    for (const { amount } of this.balances.of(token.token)) sum += amount;
    for (const { number, amount } of this.balances.numbered(token.token))
      if (!token.paidNumbers.has(number)) sum += amount;
    return sum;
  }

  /** A token's open windows. */
  windowsOf(token: TokenModel): WindowModel[] {
    return [...this.schedules.values()].flatMap(({ vault, open }) =>
      vault.token === token && open !== undefined ? [open] : [],
    );
  }

  /** The tree that an honest coordinator records now; without windows that were opened after the first `openings`. */
  tree(token: TokenModel, openings = token.openings): LiabilityTree {
    const balances: LiabilityBalance[] = this.balances
      .of(token.token)
      .filter(({ amount }) => amount > 0n)
      .map(({ holder, amount }) => ({ holder, amount, number: 0n }));
    balances.push(...this.balances.numbered(token.token));
    const windows: LiabilityWindow[] = [];
    for (const model of this.schedules.values()) {
      if (model.vault.token !== token || model.open === undefined) continue;
      if (model.open.opening > openings) continue;
      windows.push({ schedule: model.schedule.address, window: model.open.number, paid: model.open.paid });
    }
    return new LiabilityTree(balances, windows);
  }
}
