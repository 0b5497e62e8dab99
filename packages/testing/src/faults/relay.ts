import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Told what passes: the connection's number from 0, which way, the bytes, and the caller's address. */
export type Watch = (connection: number, way: 'there' | 'back', bytes: Buffer, caller: string) => void;

/** Passes connections on byte for byte and from the caller's address, a websocket's or any other; cuts them when asked. */
export class Relay {
  readonly #protocol: string;
  /** Empty at the root. */
  readonly #path: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isOpen = true;
  #accepted = 0;

  private constructor(target: URL, watch?: Watch) {
    this.#protocol = target.protocol;
    this.#path = target.pathname.replace(/^\/$/, '');
    this.#server = createServer((socket) => {
      if (!this.#isOpen) {
        socket.resetAndDestroy();
        return;
      }
      const caller = socket.remoteAddress ?? '';
      const onward = connect({ port: Number(target.port), host: target.hostname, localAddress: caller });
      const connection = this.#accepted++;
      for (const [from, to, way] of [
        [socket, onward, 'there'],
        [onward, socket, 'back'],
      ] as const) {
        this.#sockets.add(from);
        if (watch !== undefined) from.on('data', (bytes: Buffer) => watch(connection, way, bytes, caller));
        from.pipe(to);
        // Whatever ends one side ends the other.
        from.on('error', () => {});
        from.once('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  static async start(targetUrl: string, watch?: Watch): Promise<Relay> {
    const relay = new Relay(new URL(targetUrl), watch);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  /** With the scheme and the path of what it passes on to. */
  get url(): string {
    return `${this.#protocol}//127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  /** Connections that are open, counted on the caller's side. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Ends all connections, and refuses new ones until `mend`. */
  cut(): void {
    this.#isOpen = false;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  remedy(): void {
    this.#isOpen = true;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
