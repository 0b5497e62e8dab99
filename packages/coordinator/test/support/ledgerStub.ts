import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { getScheduleEncoder, PAYOUT_LEDGER_PROGRAM_ADDRESS, type ScheduleArgs } from '@payouts/client';
import { serveLoopback } from '@payouts/testing/loopback';
import { type Address, getBase58Encoder } from '@solana/kit';
import { afterAll, beforeAll } from 'vitest';

type Version = { readonly data: Uint8Array; readonly owner: string; finalAt: number };
type Filter = { memcmp: { offset: number; bytes: string } };
type Call = { id: number; method: string; params: Params };
type Params = [string[] | string, { commitment?: string; filters?: Filter[] }?];

/** Just enough of a ledger's RPC for the API's errors: accounts that tests put there, or no answer at all. */
export class LedgerStub {
  /** What each account held, the latest last. */
  readonly #accounts = new Map<string, Version[]>();
  /** What is said of every transaction; null: it is not known. */
  status: { readonly err: unknown; readonly confirmationStatus: 'confirmed' } | null = null;
  /** Answers 500 while true. */
  isBroken = false;
  /** Whether it lists a program's accounts. */
  lists = true;
  /** Its address, once it has started. */
  url = '';
  stop = async (): Promise<void> => {};

  async start(): Promise<void> {
    ({ url: this.url, stop: this.stop } = await serveLoopback((request, response) => this.#answer(request, response)));
  }

  /** Confirmed at once, and final so many milliseconds later. */
  put(address: Address, data: Uint8Array, owner: string = PAYOUT_LEDGER_PROGRAM_ADDRESS, finalAfterMs = 0): void {
    const version = { data, owner, finalAt: Date.now() + finalAfterMs };
    this.#accounts.set(address, [...(this.#accounts.get(address) ?? []), version]);
  }

  putSchedule(address: Address, schedule: ScheduleArgs, finalAfterMs = 0): void {
    this.put(address, new Uint8Array(getScheduleEncoder().encode(schedule)), undefined, finalAfterMs);
  }

  /** Has what an account holds become final only so many milliseconds from now. */
  hideFinal(address: Address, forMs: number): void {
    for (const version of this.#accounts.get(address) ?? []) version.finalAt = Date.now() + forMs;
  }

  /** Has nothing any more. */
  forget(): void {
    this.#accounts.clear();
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request);
    if (this.isBroken) return response.writeHead(500).end();
    const { id, method, params } = JSON.parse(body) as Call;
    const [asked, { commitment, filters = [] } = {}] = params;
    const isFinal = commitment === 'finalized';
    response.writeHead(200, { 'content-type': 'application/json' });
    if (method === 'getProgramAccounts' && !this.lists) {
      return response.end(
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }),
      );
    }
    const result =
      method === 'getLatestBlockhash'
        ? { value: { blockhash: '11111111111111111111111111111111', lastValidBlockHeight: 9 } }
        : method === 'getSignatureStatuses'
          ? { value: [this.status] }
          : typeof asked === 'string'
            ? this.#owned(asked, filters)
            : { context: { slot: 5 }, value: asked.map((address) => this.#show(address, isFinal)) };
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  /** The accounts of a program that hold what the filters say. */
  #owned(program: string, filters: readonly Filter[]) {
    const holds = (data: Uint8Array) =>
      filters.every(({ memcmp: { offset, bytes } }) => {
        const held = getBase58Encoder().encode(bytes);
        return Buffer.compare(data.subarray(offset, offset + held.length), Uint8Array.from(held)) === 0;
      });
    return [...this.#accounts].flatMap(([pubkey, versions]) => {
      const last = versions.at(-1);
      return last?.owner === program && holds(last.data) ? [{ pubkey, account: this.#show(pubkey, false) }] : [];
    });
  }

  #show(address: string, onlyFinal: boolean) {
    const account = this.#accounts.get(address)?.findLast(({ finalAt }) => !onlyFinal || finalAt <= Date.now());
    if (account === undefined) return null;
    const { data, owner } = account;
    return {
      data: [Buffer.from(data).toString('base64'), 'base64'],
      owner,
      lamports: 1,
      executable: false,
      rentEpoch: 0,
      space: data.length,
    };
  }
}

/** A ledger for the tests of a file or a `describe`; it listens once they run. */
export function useLedger(): LedgerStub {
  const ledger = new LedgerStub();
  beforeAll(() => ledger.start());
  afterAll(() => ledger.stop());
  return ledger;
}
