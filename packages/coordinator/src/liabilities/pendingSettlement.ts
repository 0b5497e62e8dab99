import type { Address } from '@solana/kit';
import type { SettlementRequest } from '../store/queries/settlements.ts';
import type { LiabilityReader } from './reader.ts';

/** Somebody's wait for a window's settlement. */
export class PendingSettlement {
  readonly settlement: SettlementRequest;
  readonly outcome: Promise<void>;
  readonly since: number;
  /** It stands in the store, for whichever process keeps the token's tree. */
  isStored: boolean;
  isOver = false;
  #settled!: () => void;
  #failed!: (error: unknown) => void;

  constructor(settlement: SettlementRequest, since: number, isStored: boolean) {
    this.settlement = settlement;
    this.since = since;
    this.isStored = isStored;
    this.outcome = new Promise((settled, failed) => {
      this.#settled = settled;
      this.#failed = failed;
    });
    // Nobody may be waiting in this process.
    this.outcome.catch(() => {});
  }

  get schedule(): Address {
    return this.settlement.schedule as Address;
  }

  settled(): void {
    this.isOver = true;
    this.#settled();
  }

  failed(error: unknown): void {
    this.isOver = true;
    this.#failed(error);
  }
}

/** Notes which windows the base ledger shows settled. */
export async function noteSettled(reader: LiabilityReader, waiting: readonly PendingSettlement[]): Promise<void> {
  const open = waiting.filter(({ isOver }) => !isOver);
  const numbers = await reader.windowNumbers(open.map(({ schedule }) => schedule));
  for (const pending of open) {
    if ((numbers.get(pending.schedule) ?? 0n) > pending.settlement.window) pending.settled();
  }
}
