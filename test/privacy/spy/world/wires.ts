import type { LedgerUrls } from '@payouts/localnet';
import { Relay } from '@payouts/testing/faults/relay';
import type { EvidenceWriter } from '../evidence.ts';
import { Frames } from './frames.ts';

/** Relays between the parts of the world, which note what somebody beside each wire sees. */
export class Wires {
  readonly #relays: Relay[] = [];

  constructor(private readonly evidence: EvidenceWriter) {}

  /** A wire whose content can be read: whoever gives the execution layer its base ledger sees what it asks for. */
  async read({ rpcUrl, wsUrl }: LedgerUrls): Promise<LedgerUrls> {
    const frames = new Map<number, Frames>();
    const http = await this.#relay(rpcUrl, (connection, way, bytes) => {
      if (way === 'there') this.#note('http', connection, bytes.toString('latin1'));
    });
    const websocket = await this.#relay(wsUrl, (connection, way, bytes) => {
      if (way !== 'there') return;
      const own = frames.get(connection) ?? new Frames();
      frames.set(connection, own);
      for (const text of own.take(bytes)) this.#note('websocket', connection, text);
    });
    return { rpcUrl: http, wsUrl: websocket };
  }

  /** A wire that is encrypted in production: only when and how much is seen. */
  measure(link: string, url: string): Promise<string> {
    return this.#relay(url, (connection, way, bytes) => {
      this.evidence.note('sizes', { at: Date.now(), link, connection, way, bytes: bytes.length });
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.stop()));
  }

  #note(link: 'http' | 'websocket', connection: number, text: string): void {
    this.evidence.note('calls', { at: Date.now(), link, connection, text });
  }

  async #relay(url: string, watch: Parameters<typeof Relay.start>[1]): Promise<string> {
    const relay = await Relay.start(url, watch);
    this.#relays.push(relay);
    return relay.url;
  }
}
