import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Answer } from './call.ts';

/** A ledger's RPC, to which calls are delivered. */
export class Upstream {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(private readonly url: string) {}

  /** Delivers a call. Throws what the connection throws. */
  deliver(body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const delivery = request(this.url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      });
      delivery.once('error', reject);
      delivery.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
