import type { Address } from '@solana/kit';
import { described } from '../platform/log/errorFields.ts';
import { type KeeperContext, OwedKeeper } from './keeper.ts';

/** Milliseconds between two looks for what other processes ask for: while there is something, and otherwise. */
const BUSY_MS = 50;
const IDLE_MS = 200;
/** Looks without a find after which there is nothing. */
const QUIET_LOOKS = 40;
/** Settlements taken at a time. */
const AT_ONCE = 500;

/** The keepers of all tokens, each made when it is first asked for. */
export class OwedKeepers {
  readonly #context: KeeperContext;
  readonly #keepers = new Map<Address, OwedKeeper>();

  constructor(context: KeeperContext) {
    this.#context = context;
  }

  of(mint: Address): OwedKeeper {
    const keeper = this.#keepers.get(mint) ?? new OwedKeeper(mint, this.#context);
    this.#keepers.set(mint, keeper);
    return keeper;
  }

  /** Settles what other processes ask for, of the tokens that this one keeps, until `draining`. */
  async serve(draining: AbortSignal): Promise<void> {
    const { time, log, signal } = this.#context;
    let quiet = 0;
    let failures = 0;
    while (!draining.aborted) {
      try {
        quiet = (await this.#take()) > 0 ? 0 : quiet + 1;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (failures === 1)
          log.warn(described(error), "other processes' settlements were not looked for; it is repeated");
      }
      await time.pause(quiet < QUIET_LOOKS ? BUSY_MS : IDLE_MS, draining).catch(() => {});
    }
  }

  async #take(): Promise<number> {
    const kept: Address[] = [];
    for (const [mint, keeper] of this.#keepers) if (await keeper.isKeeper()) kept.push(mint);
    const found = await this.#context.store.findSettlements(kept, AT_ONCE);
    for (const settlement of found) this.of(settlement.mint as Address).take(settlement);
    return found.length;
  }
}
