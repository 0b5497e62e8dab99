import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes connections on to a websocket byte for byte, and cuts them when asked. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isOpen = true;

  private constructor(target: URL) {
    this.#server = createServer((socket) => {
      if (!this.#isOpen) {
        socket.resetAndDestroy();
        return;
      }
      const onward = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(from);
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

  static async start(targetUrl: string): Promise<Relay> {
    const relay = new Relay(new URL(targetUrl));
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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

  mend(): void {
    this.#isOpen = true;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
