import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import {
  IDLE,
  type ObservedPersonal,
  observedPersonal,
  WIPED,
  type WipedPersonal,
  wipedPersonal,
} from '../balances/personal.ts';
import type { ExecutionLayer } from '../ledger/ledger.ts';

/** Seconds for which an account stays after it was made, and after it was wiped: the program's own. */
const READERS_TAKE = 60n;
/** Milliseconds between two looks. */
const LOOK_MS = 10_000;

/** An account of which nothing is left, whose next step it is time for. */
export type Idle =
  | { readonly step: 'wipe'; readonly account: ObservedPersonal }
  | { readonly step: 'close'; readonly account: WipedPersonal };

type Context = { readonly layer: ExecutionLayer; readonly program: Address; readonly time: Time };

/**
 * Finds personal accounts of which nothing is left: by their state, so that no process needs to remember any. Each is wiped first, and
 * closed a minute later, when nobody who has read it before asks any more who may read it.
 */
export class IdleAccounts {
  /** Unix milliseconds. */
  #nextLook = 0;

  constructor(private readonly context: Context) {}

  /** What there is to do now; nothing between two looks. */
  async look(): Promise<Idle[]> {
    const { layer, program, time } = this.context;
    const now = time.now();
    if (now < this.#nextLook) return [];
    this.#nextLook = now + LOOK_MS;
    const isUnread = (since: bigint) => BigInt(Math.floor(now / 1_000)) - since >= READERS_TAKE;
    const idle = (await layer.programAccounts(program, IDLE)).flatMap(
      (found) => observedPersonal(found, program) ?? [],
    );
    const wiped = (await layer.programAccounts(program, WIPED)).map(wipedPersonal);
    return [
      // One that was made, and never used yet, is about to be.
      ...idle
        .filter((account) => account.isIdle && account.wasUsed && isUnread(account.madeAt))
        .map((account) => ({ step: 'wipe', account }) as const),
      ...wiped.filter(({ wipedAt }) => isUnread(wipedAt)).map((account) => ({ step: 'close', account }) as const),
    ];
  }
}
