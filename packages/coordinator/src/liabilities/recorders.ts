import type { Address } from '@solana/kit';
import { runLoop } from '../platform/loop.ts';
import type { Alive } from '../platform/watchedRound.ts';
import type { SettlementRequest } from '../store/queries/settlements.ts';
import { LiabilityRecorder } from './recorder.ts';
import type { RecorderContext } from './recorderContext.ts';
import { SettlementQueue } from './settlementQueue.ts';

/** Milliseconds between two looks for what other processes ask for: while there is something, and otherwise. */
const BUSY_MS = 50;
const IDLE_MS = 200;
/** Looks without a find after which there is nothing. */
const QUIET_LOOKS = 40;
/** Settlements taken at a time. */
const AT_ONCE = 500;

/** A token's recorder, and the line of windows that wait for it. */
type Token = { readonly recorder: LiabilityRecorder; readonly queue: SettlementQueue };

/** The recorders of all tokens, each made when it is first asked for, and what is handed to them. */
export class LiabilityRecorders {
  readonly #tokens = new Map<Address, Token>();

  constructor(private readonly context: RecorderContext) {}

  of(mint: Address): LiabilityRecorder {
    return this.#token(mint).recorder;
  }

  /**
   * Has a returned window settled, by this process or by the leader of the token's tree, together with others. Ends when the base
   * ledger shows it settled. Throws `RunError`; with `liabilities-mismatch` when what the ledgers show does not add up.
   */
  settle(request: SettlementRequest): Promise<void> {
    return this.#token(request.mint as Address).queue.ask(request);
  }

  /** Settles what other processes ask for, of the tokens that this one keeps, until `draining`. */
  serve(draining: AbortSignal): Promise<void> {
    let quiet = 0;
    return runLoop({ ...this.context, name: 'settlements', signal: draining }, async (alive) => {
      quiet = (await this.#take(alive)) > 0 ? 0 : quiet + 1;
      return quiet < QUIET_LOOKS ? BUSY_MS : IDLE_MS;
    });
  }

  async #take(alive: Alive): Promise<number> {
    const kept: Address[] = [];
    const known: number[] = [];
    for (const [mint, { recorder, queue }] of this.#tokens) {
      if (!(await recorder.isLeader())) continue;
      kept.push(mint);
      known.push(...queue.stored);
    }
    const found = await this.context.store.findSettlements(kept, known, AT_ONCE);
    alive();
    for (const request of found) this.#token(request.mint as Address).queue.take(request);
    return found.length;
  }

  #token(mint: Address): Token {
    const known = this.#tokens.get(mint);
    if (known !== undefined) return known;
    const recorder = new LiabilityRecorder(mint, this.context);
    const token = { recorder, queue: new SettlementQueue({ ...this.context, recorder }) };
    this.#tokens.set(mint, token);
    return token;
  }
}
