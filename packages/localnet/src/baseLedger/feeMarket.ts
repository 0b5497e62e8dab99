import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM } from '../addresses.ts';
import type { ClusterHabits } from './habits.ts';
import { LastSecond } from './lastSecond.ts';
import type { DecodedTransaction } from './transaction.ts';

/** Blocks whose bids are told, as on Solana. */
const TOLD_BLOCKS = 150;
/** One account may take a fifth of what all may, as of a block's compute units on Solana. */
const ACCOUNTS_PART = 5;
const SET_COMPUTE_UNIT_PRICE = 3;

type Figures = Pick<ClusterHabits, 'loadSends' | 'baseBid'>;

/** The bids that one block took, micro-lamports a compute unit. */
interface BlockBids {
  readonly slot: number;
  readonly everywhere: number;
  /** Of accounts that took more. */
  readonly accounts: ReadonlyMap<Address, number>;
}

/** What sends in the last second make of the price of a place in a block. */
export class FeeMarket {
  readonly #all: LastSecond;
  readonly #byAccount = new Map<Address, LastSecond>();
  #blocks: BlockBids[] = [];

  constructor(
    private readonly time: Time,
    private readonly figures: () => Figures,
  ) {
    this.#all = new LastSecond(time);
  }

  /** Whether the cluster is under load. */
  get isLoaded(): boolean {
    return this.#all.count > this.figures().loadSends;
  }

  /** Counts a send of a transaction that writes these accounts. */
  add(written: readonly Address[]): void {
    this.#all.add();
    if (this.figures().baseBid === 0) return;
    for (const address of written) {
      const rate = this.#byAccount.get(address) ?? new LastSecond(this.time);
      rate.add();
      this.#byAccount.set(address, rate);
    }
  }

  /** The bid that is needed now to write these accounts, micro-lamports a compute unit. */
  bid(written: readonly Address[]): number {
    return Math.max(this.#bidEverywhere, ...written.map((address) => this.#bidOf(this.#byAccount.get(address))));
  }

  /** Notes what a block takes. */
  makeBlock(slot: number): void {
    if (this.figures().baseBid === 0) {
      this.#blocks = [];
      this.#byAccount.clear();
      return;
    }
    const everywhere = this.#bidEverywhere;
    const accounts = new Map<Address, number>();
    for (const [address, rate] of this.#byAccount) {
      const bid = this.#bidOf(rate);
      if (bid > everywhere) accounts.set(address, bid);
      if (rate.count === 0) this.#byAccount.delete(address);
    }
    this.#blocks.push({ slot, everywhere, accounts });
    if (this.#blocks.length > TOLD_BLOCKS) this.#blocks.shift();
  }

  /** The bids of recent blocks, oldest first, for whoever writes these accounts. */
  recentBids(written: readonly Address[]): { slot: number; bid: number }[] {
    return this.#blocks.map(({ slot, everywhere, accounts }) => ({
      slot,
      bid: Math.max(everywhere, ...written.map((address) => accounts.get(address) ?? 0)),
    }));
  }

  get #bidEverywhere(): number {
    return this.#price(this.#all.count, this.figures().loadSends);
  }

  #bidOf(rate: LastSecond | undefined): number {
    return this.#price(rate?.count ?? 0, this.figures().loadSends / ACCOUNTS_PART);
  }

  #price(sends: number, load: number): number {
    return Math.ceil(this.figures().baseBid * Math.max(1, sends / Math.max(1, load)));
  }
}

/** What a transaction bids, micro-lamports a compute unit. */
export function bidOf({ message }: DecodedTransaction): number {
  let bid = 0n;
  for (const { programAddressIndex, data } of message.instructions) {
    if (message.staticAccounts[programAddressIndex] !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data?.[0] !== SET_COMPUTE_UNIT_PRICE || data.length < 9) continue;
    bid = Buffer.from(data).readBigUInt64LE(1);
  }
  return Number(bid);
}
