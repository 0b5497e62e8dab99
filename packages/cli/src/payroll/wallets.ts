import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { nextTurn } from '@payouts/client';
import { isOnCurve } from '@payouts/client/curve';

/** Addresses that are checked together; a payroll of fewer needs no thread. */
const BATCH = 4_096;
const ADDRESS_BYTES = 32;

/** Addresses one behind the other, and the line of each. */
type Batch = { readonly addresses: Uint8Array; readonly lines: Uint32Array; count: number };

/** Places of addresses, one behind the other, that are no point of the curve: nobody could sign for them. */
export function unsignable(addresses: Uint8Array): number[] {
  const places: number[] = [];
  for (let at = 0; at < addresses.length; at += ADDRESS_BYTES) {
    if (!isOnCurve(addresses.subarray(at, at + ADDRESS_BYTES))) places.push(at / ADDRESS_BYTES);
  }
  return places;
}

const addressesOf = ({ addresses, count }: Batch): Uint8Array => addresses.subarray(0, count * ADDRESS_BYTES);

/**
 * Finds out which recipients nobody could sign for. That is half of the work on a long payroll, so a thread of its own does it while
 * the lines are read; what is left at the end is shared between the two.
 */
export class WalletCheck {
  readonly #found: number[] = [];
  readonly #waiting: Batch[] = [];
  #filling = emptyBatch();
  #worker: Worker | undefined;
  #given: Batch | undefined;
  #failed: unknown;

  /** A line's recipient, 32 bytes. */
  add(line: number, address: Uint8Array): void {
    const batch = this.#filling;
    batch.addresses.set(address, batch.count * ADDRESS_BYTES);
    batch.lines[batch.count++] = line;
    if (batch.count < BATCH) return;
    this.#waiting.push(batch);
    this.#filling = emptyBatch();
    if (this.#worker === undefined) this.#start();
    this.#give();
  }

  /** The lines whose recipient nobody could sign for, once all are added; in no order. */
  async lines(): Promise<number[]> {
    this.#waiting.push(this.#filling);
    while (this.#waiting.length > 0 || this.#given !== undefined) {
      if (this.#failed !== undefined) throw this.#failed;
      const batch = this.#waiting.shift();
      if (batch !== undefined) this.#keep(batch, unsignable(addressesOf(batch)));
      // The thread's answers are heard, and it gets its next batch.
      await nextTurn();
    }
    return this.#found;
  }

  /** Ends the thread. */
  async end(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): void {
    this.#worker = startWorker();
    this.#worker.on('message', (places: number[]) => {
      if (this.#given !== undefined) this.#keep(this.#given, places);
      this.#given = undefined;
      this.#give();
    });
    this.#worker.on('error', (error) => {
      this.#failed = error;
    });
  }

  #give(): void {
    if (this.#given !== undefined) return;
    this.#given = this.#waiting.shift();
    if (this.#given !== undefined) this.#worker?.postMessage(addressesOf(this.#given));
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

/**
 * From its source if tsx runs this process from sources, else as it was built. A thread needs tsx of its own; Node 20 doesn't give it
 * that by an option, so it begins by loading it.
 */
function startWorker(): Worker {
  const isFromSource = import.meta.url.endsWith('.ts') && process.execArgv.some((word) => word.includes('tsx'));
  if (!isFromSource) {
    // Not as a test runner was started, by whose conditions packages are their sources.
    return new Worker(new URL('../../dist/payroll/walletsWorker.js', import.meta.url), { execArgv: [] });
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx'));
  const [api, entry] = [new URL('./esm/api/index.mjs', loader), new URL('./walletsWorker.ts', import.meta.url)];
  const begin = `import('${api}').then(({ register }) => { register(); return import('${entry}'); })`;
  return new Worker(begin, { eval: true, execArgv: ['--conditions=@payouts/source'] });
}
