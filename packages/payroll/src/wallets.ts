import { nextTurn } from '@payouts/client/browser';
import { isOnCurve } from '@payouts/client/curve';

/** Addresses that are checked together; a payroll of fewer needs no thread. */
const BATCH = 1_024;
const ADDRESS_BYTES = 32;

/** Addresses one behind the other, and the line of each. */
type Batch = { readonly addresses: Uint8Array; readonly lines: Uint32Array; count: number };

/** Places of addresses, one behind the other, that are zero or no point of the curve: nobody could sign for them. */
export function unsignable(addresses: Uint8Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < addresses.length; at += ADDRESS_BYTES) {
    const address = addresses.subarray(at, at + ADDRESS_BYTES);
    // The zero address, the System program's, is a point.
    if (address.every((byte) => byte === 0) || !isOnCurve(address)) places.push(at / ADDRESS_BYTES);
  }
  return places;
}

const addressesOf = ({ addresses, count }: Batch): Uint8Array => addresses.subarray(0, count * ADDRESS_BYTES);

/** A thread that can check addresses, one behind the other, by `unsignable`. */
export type WalletThread = {
  check(addresses: Uint8Array): Promise<readonly number[]>;
  end(): Promise<void>;
};

/**
 * Finds out which recipients nobody could sign for. That is half of the work on a long payroll, so a thread of its own does it while
 * the lines are read, if there is one; what is left at the end is shared between the two.
 */
export class WalletCheck {
  readonly #startThread: (() => WalletThread) | undefined;
  readonly #found: number[] = [];
  readonly #waiting: Batch[] = [];
  #filling = emptyBatch();
  #thread: WalletThread | undefined;
  #isGiven = false;
  #failed: { readonly error: unknown } | undefined;

  constructor(startThread?: () => WalletThread) {
    this.#startThread = startThread;
  }

  /** A line's recipient, 32 bytes. */
  add(line: number, address: Uint8Array): void {
    const batch = this.#filling;
    batch.addresses.set(address, batch.count * ADDRESS_BYTES);
    batch.lines[batch.count++] = line;
    if (batch.count < BATCH) return;
    this.#waiting.push(batch);
    this.#filling = emptyBatch();
    this.#thread ??= this.#startThread?.();
    this.#give();
  }

  /** The lines whose recipient nobody could sign for, once all are added; in no order. */
  async lines(): Promise<number[]> {
    this.#waiting.push(this.#filling);
    while (this.#waiting.length > 0 || this.#isGiven) {
      if (this.#failed !== undefined) throw this.#failed.error;
      const batch = this.#waiting.shift();
      if (batch !== undefined) this.#keep(batch, unsignable(addressesOf(batch)));
      // The thread's answers are heard, and it gets its next batch.
      await nextTurn();
    }
    return this.#found;
  }

  /** Ends the thread. */
  async end(): Promise<void> {
    await this.#thread?.end();
  }

  #give(): void {
    if (this.#thread === undefined || this.#isGiven) return;
    const batch = this.#waiting.shift();
    if (batch === undefined) return;
    this.#isGiven = true;
    this.#thread.check(addressesOf(batch)).then(
      (places) => {
        this.#keep(batch, places);
        this.#isGiven = false;
        this.#give();
      },
      (error: unknown) => {
        this.#failed = { error };
      },
    );
  }

  #keep({ lines }: Batch, places: readonly number[]): void {
    for (const place of places) this.#found.push(lines[place] as number);
  }
}

const emptyBatch = (): Batch => ({
  addresses: new Uint8Array(BATCH * ADDRESS_BYTES),
  lines: new Uint32Array(BATCH),
  count: 0,
});
