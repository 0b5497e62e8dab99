import type { Time } from '@payouts/client';
import { bidOf, FeeMarket } from './feeMarket.ts';
import { type ClusterHabits, NO_HABITS } from './habits.ts';
import type { LocalLedger, Outcome } from './ledger.ts';
import { PublicNode } from './publicNode.ts';
import { type DecodedTransaction, resolveKeys } from './transaction.ts';

/** The cluster that a ledger plays: what becomes of what is sent to it, and what its public nodes answer. */
export class Cluster {
  readonly node: PublicNode;
  readonly market: FeeMarket;
  #habits = NO_HABITS;
  /** Of the sends under load, the part of one that is still to be lost. */
  #toLose = 0;
  readonly #served = { call: 0, websocket: 0 };
  #blockHeight = 0n;

  constructor(
    private readonly ledger: LocalLedger,
    private readonly time: Time,
  ) {
    const habits = () => this.#habits;
    this.node = new PublicNode(time, habits);
    this.market = new FeeMarket(time, habits);
    ledger.subscribe({ onSlot: (slot) => this.#noteBlock(slot) });
  }

  get habits(): ClusterHabits {
    return this.#habits;
  }

  /** From now on; what has landed until now counts as final. */
  set habits(habits: ClusterHabits) {
    this.#habits = habits;
    this.#toLose = 0;
    this.#served.call = 0;
    this.#served.websocket = 0;
    this.node.reset();
    this.ledger.keepPast(habits.finalMs + habits.behindMs);
    // Whoever asks at once what is bid is told.
    this.market.makeBlock(this.ledger.slot);
  }

  /** How far behind the public node is that serves the next call or websocket, milliseconds: every second one is. */
  nextBehindMs(what: 'call' | 'websocket'): number {
    this.#served[what] += 1;
    return this.#served[what] % 2 === 0 ? this.#habits.behindMs : 0;
  }

  /** Takes a transaction; what became of it, or undefined where that takes time or it is lost. */
  send(transaction: DecodedTransaction): Outcome | undefined {
    this.market.add(this.#writtenBy(transaction));
    if (this.#isLost()) return undefined;
    const { landMs } = this.#habits;
    if (landMs === 0) return this.#land(transaction);
    this.time.after(landMs, () => this.#land(transaction));
    return undefined;
  }

  #land(transaction: DecodedTransaction): Outcome | undefined {
    if (this.#habits.baseBid > 0 && bidOf(transaction) < this.market.bid(this.#writtenBy(transaction))) {
      return undefined;
    }
    return this.ledger.process(transaction);
  }

  #isLost(): boolean {
    if (!this.market.isLoaded) return false;
    this.#toLose += this.#habits.lostShare;
    if (this.#toLose < 1) return false;
    this.#toLose -= 1;
    return true;
  }

  #writtenBy({ message }: DecodedTransaction) {
    if (this.#habits.baseBid === 0) return [];
    const { keys, writable } = resolveKeys(message, (address) => this.ledger.bank.getAccount(address));
    return keys.filter((_, place) => writable[place] === true);
  }

  /** A block is made by time, a slot also by each transaction. */
  #noteBlock(slot: number): void {
    const { height } = this.ledger.blockhashes;
    if (height === this.#blockHeight) return;
    this.#blockHeight = height;
    this.market.makeBlock(slot);
  }
}
