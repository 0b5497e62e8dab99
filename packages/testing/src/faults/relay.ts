import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** Told what passes: the connection's number from 0, which way, the bytes, and the caller's address. */
export type Watch = (connection: number, way: 'there' | 'back', bytes: Buffer, caller: string) => void;

/** Passes connections on byte for byte and from the caller's address, a websocket's or any other; cuts, holds or slows them when asked. */
export class Relay {
  readonly #protocol: string;
  /** Empty at the root. */
  readonly #path: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #held: (() => void)[] = [];
  #isOpen = true;
  #isHeld = false;
  #delayMs = 0;
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
        from.pipe(this.#gate()).pipe(to);
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

  /** Connections stay and are taken, and nothing passes on any of them until `remedy`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Whatever passes takes so many milliseconds longer each way, until `remedy`. */
  slow(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  remedy(): void {
    this.#isOpen = true;
    this.#isHeld = false;
    this.#delayMs = 0;
    for (const goOn of this.#held.splice(0)) goOn();
  }

  #gate(): Transform {
    return new Transform({
      transform: (bytes, _, passed) => {
        const pass = () => passed(null, bytes);
        if (this.#isHeld) this.#held.push(pass);
        else if (this.#delayMs > 0) setTimeout(pass, this.#delayMs);
        else pass();
      },
    });
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
