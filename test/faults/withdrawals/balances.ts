import { setTimeout as sleep } from 'node:timers/promises';
import { type Balance, getBalanceDecoder } from '@payouts/client';
import type { World } from '@payouts/testing/world';
import { type Address, getBase64Encoder } from '@solana/kit';

const AT_A_TIME = 100;
const LOOK_MS = 200;
/** Seconds after which a payout is issued again. */
const REISSUE_AFTER = 30;
/** Seconds after which one that was issued has come to nothing. */
const FAILED_AFTER = 25;

/** Everybody's private balance as the execution layer showed it last, read for all of them together. */
export class BalanceWatch {
  readonly #seen = new Map<Address, Balance>();
  readonly #over = new AbortController();
  readonly #looking: Promise<void>;
  #looks = 0;
  /** Numbers of withdrawals whose payout was seen to come to nothing. */
  readonly failed = new Set<bigint>();

  constructor(
    private readonly world: World,
    private readonly addresses: readonly Address[],
  ) {
    this.#looking = this.#look();
  }

  of(address: Address): Balance | undefined {
    return this.#seen.get(address);
  }

  /** Waits for a look that begins after this call. */
  async fresh(): Promise<void> {
    const enough = this.#looks + 2;
    while (this.#looks < enough) await sleep(LOOK_MS / 4);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (!this.#over.signal.aborted) {
      // The validator may be away.
      const isRead = await this.#read().catch(() => false);
      if (isRead) this.#looks += 1;
      await sleep(LOOK_MS);
    }
  }

  async #read(): Promise<true> {
    for (let start = 0; start < this.addresses.length; start += AT_A_TIME) {
      const some = this.addresses.slice(start, start + AT_A_TIME);
      const { value } = await this.world.ledgers.layer.getMultipleAccounts(some, { encoding: 'base64' }).send();
      for (const [place, address] of some.entries()) {
        const account = value[place];
        if (!account) continue;
        const balance = getBalanceDecoder().decode(getBase64Encoder().encode(account.data[0]));
        this.#seen.set(address, balance);
        const { pendingNumber, dueAt } = balance;
        const age = Date.now() / 1_000 - (Number(dueAt) - REISSUE_AFTER);
        if (pendingNumber !== 0n && dueAt !== 0n && age > FAILED_AFTER) this.failed.add(pendingNumber);
      }
    }
    return true;
  }
}
