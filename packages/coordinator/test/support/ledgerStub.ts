import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getScheduleEncoder, PAYOUT_LEDGER_PROGRAM_ADDRESS, type ScheduleArgs } from '@payouts/client';
import type { Address } from '@solana/kit';

type Version = { readonly data: Uint8Array; readonly owner: string; finalAt: number };
type Params = [string[], { commitment?: string }?];

/** Just enough of a ledger's RPC for the API's errors: accounts that tests put there, or no answer at all. */
export class LedgerStub {
  /** What each account held, the latest last. */
  readonly #accounts = new Map<string, Version[]>();
  readonly #server: Server;
  /** Answers 500 while true. */
  isBroken = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<LedgerStub> {
    const server = createServer();
    const stub = new LedgerStub(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (stub.isBroken) return response.writeHead(500).end();
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { id: number; params: Params };
      const [addresses, { commitment } = {}] = params;
      const value = addresses.map((address) => stub.#show(address, commitment === 'finalized'));
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot: 5 }, value } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
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
