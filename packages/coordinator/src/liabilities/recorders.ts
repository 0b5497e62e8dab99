import type { Address } from '@solana/kit';
import { runLoop } from '../platform/loop.ts';
import { LiabilityRecorder, type RecorderContext } from './recorder.ts';

/** Milliseconds between two looks for what other processes ask for: while there is something, and otherwise. */
const BUSY_MS = 50;
const IDLE_MS = 200;
/** Looks without a find after which there is nothing. */
const QUIET_LOOKS = 40;
/** Settlements taken at a time. */
const AT_ONCE = 500;

/** The recorders of all tokens, each made when it is first asked for. */
export class LiabilityRecorders {
  readonly #context: RecorderContext;
  readonly #recorders = new Map<Address, LiabilityRecorder>();

  constructor(context: RecorderContext) {
    this.#context = context;
  }

  of(mint: Address): LiabilityRecorder {
    const recorder = this.#recorders.get(mint) ?? new LiabilityRecorder(mint, this.#context);
    this.#recorders.set(mint, recorder);
    return recorder;
  }

  /** Settles what other processes ask for, of the tokens that this one keeps, until `draining`. */
  serve(draining: AbortSignal): Promise<void> {
    let quiet = 0;
    return runLoop({ ...this.#context, name: 'settlements', retryMs: IDLE_MS, signal: draining }, async () => {
      quiet = (await this.#take()) > 0 ? 0 : quiet + 1;
      return quiet < QUIET_LOOKS ? BUSY_MS : IDLE_MS;
    });
  }

  async #take(): Promise<number> {
    const kept: Address[] = [];
    for (const [mint, recorder] of this.#recorders) if (await recorder.isLeader()) kept.push(mint);
    const found = await this.#context.store.findSettlements(kept, AT_ONCE);
    for (const settlement of found) this.of(settlement.mint as Address).take(settlement);
    return found.length;
  }
}
