import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { LedgerUrls } from '@payouts/localnet';
import type { Certified } from '@payouts/testing/certificate';
import { Relay } from '@payouts/testing/faults/relay';
import type { EvidenceWriter } from '../evidence.ts';
import { Frames } from './frames.ts';

/** Relays between the parts of the world, which note what somebody beside each wire sees. */
export class Wires {
  readonly #relays: Relay[] = [];
  readonly #servers: Server[] = [];

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

  /** A wire that is encrypted in production: only when and how much is seen, and who calls: `peer`, else the address that calls. */
  measure(link: string, url: string, peer?: string): Promise<string> {
    return this.#relay(url, (connection, way, bytes, caller) => {
      const line = { at: Date.now(), link, connection, peer: peer ?? caller, way, bytes: bytes.length };
      this.evidence.note('sizes', line);
    });
  }

  /** A wire that is encrypted here as it is in production, before a service that speaks plain HTTP: what passes is recorded as well. */
  async encrypt(link: string, url: string, certified: Certified): Promise<string> {
    const target = new URL(url);
    const server = createServer(certified, (socket) => {
      const localAddress = socket.remoteAddress ?? '';
      const onward = connect({ port: Number(target.port), host: target.hostname, localAddress });
      for (const end of [socket, onward])
        end.on('error', () => {}).once('close', () => (end === socket ? onward : socket).destroy());
      socket.pipe(onward).pipe(socket);
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return this.#relay(`https://127.0.0.1:${port}`, (connection, way, bytes, peer) => {
      this.evidence.note('sizes', { at: Date.now(), link, connection, peer, way, bytes: bytes.length });
      this.evidence.note('traffic', { connection, way, bytes: bytes.toString('base64') });
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.stop()));
    for (const server of this.#servers) server.close();
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
