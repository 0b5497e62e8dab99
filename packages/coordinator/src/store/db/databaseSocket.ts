import { EventEmitter } from 'node:events';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import pg from 'pg';
import type { Facts, Manifest } from './manifest.ts';

/** An embedded database as of one moment: its data folder as a compressed archive, and what is in it. */
export type EmbeddedDump = { readonly facts: Facts & Pick<Manifest, 'postgres'>; readonly bytes: Uint8Array };

/** What a process with an embedded database gives to others. */
export type Served = { readonly pool: pg.Pool; readonly dump: () => Promise<EmbeddedDump> };

type Statement = { readonly text: string; readonly values: readonly unknown[] | undefined };
type Request = 'dump' | Statement;
/** `error`: its fields, as far as they are text. */
type Answer = { readonly result: unknown } | { readonly error: Readonly<Record<string, string>> };

const SOCKET = 'coordinator.sock';
/** Milliseconds after which whoever has the session and asks for nothing loses it. */
const IDLE_MS = 15_000;
/** Bytes of a message's length. */
const LENGTH = 4;
/** Of the socket: its owner alone. */
const NOBODY_ELSE = 0o177;
/** SQLSTATE connection_failure. */
const CONNECTION_FAILURE = '08006';

/** The socket in a folder, by a name that is short whatever the folder's is: Linux takes 107 bytes. The name is good until `close`. */
function socketIn(directory: string): { readonly name: string; readonly close: () => void } {
  const folder = openSync(directory, 'r');
  return { name: `/proc/self/fd/${folder}/${SOCKET}`, close: () => closeSync(folder) };
}

/**
 * Lets other processes of the same user work with the embedded database that this one has: by statements, each process in a session that
 * it has to itself as long as it is connected, or as a whole. Returns what ends that.
 */
export function serveDatabase(directory: string, served: Served): () => void {
  const { name, close } = socketIn(directory);
  const path = join(directory, SOCKET);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    serve(socket, served).catch(() => {});
  });
  server.on('error', () => {});
  rmSync(path, { force: true });
  const before = process.umask(NOBODY_ELSE);
  server.listen(name);
  process.umask(before);
  // Ends with the process, whatever else does.
  server.unref();
  return () => {
    server.close(close);
    rmSync(path, { force: true });
  };
}

async function serve(socket: Socket, { pool, dump }: Served): Promise<void> {
  let session: pg.PoolClient | undefined;
  socket.on('timeout', () => socket.destroy());
  try {
    for await (const request of messagesOf<Request>(socket)) {
      socket.setTimeout(0);
      if (request === 'dump') {
        send(socket, await answerTo(dump));
      } else {
        session ??= await pool.connect();
        const { text, values } = request;
        const asked = session;
        send(socket, await answerTo(async () => dataOf(await asked.query(text, values as unknown[]))));
      }
      socket.setTimeout(IDLE_MS);
    }
  } finally {
    // It may have gone away in the middle of a transaction.
    await session?.query('rollback').catch(() => {});
    session?.release();
    socket.destroy();
  }
}

async function answerTo(does: () => Promise<unknown>): Promise<Answer> {
  try {
    return { result: await does() };
  } catch (error) {
    const { message } = error as Error;
    const texts = Object.entries(error as object).filter(([, value]) => typeof value === 'string');
    return { error: { ...Object.fromEntries(texts), message } };
  }
}

/** What can be sent of a result; several statements in one text have as many. */
function dataOf(result: pg.QueryResult | pg.QueryResult[]): unknown {
  if (Array.isArray(result)) return result.map(dataOf);
  const { command, rowCount, rows } = result;
  return { command, rowCount, rows };
}

function send(socket: Socket, message: Request | Answer): void {
  const bytes = serialize(message);
  const length = Buffer.alloc(LENGTH);
  length.writeUInt32BE(bytes.length);
  socket.write(length);
  socket.write(bytes);
}

/** Messages in the order in which they come, until the other end goes away. */
async function* messagesOf<T>(socket: Socket): AsyncGenerator<T> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (size < LENGTH) break;
      const [first] = chunks as [Buffer];
      const needed = LENGTH + (first.length < LENGTH ? Buffer.concat(chunks) : first).readUInt32BE();
      if (size < needed) break;
      const all = Buffer.concat(chunks);
      yield deserialize(all.subarray(LENGTH, needed)) as T;
      chunks = [all.subarray(needed)];
      size -= needed;
    }
  }
}

/** A connection to whoever has an embedded database: as much of `pg.Client` as pools and migrations use. */
class SocketClient extends EventEmitter {
  readonly #socket: Socket;
  readonly #answers: AsyncGenerator<Answer>;
  /** Ends when what was asked before is answered. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ host }: { readonly host: string }) {
    super();
    const { name, close } = socketIn(host);
    this.#socket = connect(name);
    this.#socket.on('error', () => {});
    this.#socket.once('close', close);
    this.#answers = messagesOf<Answer>(this.#socket);
  }

  connect(done: (error?: Error) => void): void {
    this.#socket.once('connect', () => done());
    this.#socket.once('error', done);
  }

  async ask(request: Request): Promise<unknown> {
    const answer = this.#last.then(async () => {
      if (!this.#socket.destroyed) send(this.#socket, request);
      return this.#answers.next();
    });
    this.#last = answer.catch(() => {});
    const { value } = await answer;
    if (value === undefined) {
      throw Object.assign(new Error('Connection terminated: the coordinator has ended.'), { code: CONNECTION_FAILURE });
    }
    if ('error' in value) throw Object.assign(new Error(value.error.message), value.error);
    return value.result;
  }

  // `pg` takes a query in several forms, with a callback or without.
  query(...args: unknown[]): unknown {
    const done =
      typeof args.at(-1) === 'function' ? (args.pop() as (error: unknown, result?: unknown) => void) : undefined;
    const [first, values] = args as [string | Statement, Statement['values']];
    const statement =
      typeof first === 'string' ? { text: first, values } : { text: first.text, values: first.values ?? values };
    const result = this.ask(statement);
    if (done === undefined) return result;
    result.then((found) => done(null, found), done);
    return undefined;
  }

  end(done?: () => void): void {
    this.#socket.destroy();
    this.emit('end');
    done?.();
  }
}

/** Connects to the process that has the embedded database of a folder; undefined if none answers. */
async function connected(directory: string): Promise<SocketClient | undefined> {
  if (!existsSync(directory)) return undefined;
  const client = new SocketClient({ host: directory });
  return new Promise((resolve) => client.connect((error) => resolve(error === undefined ? client : undefined)));
}

/** Asks that process for its content; undefined if none answers, or not in full. */
export async function askForDump(directory: string): Promise<EmbeddedDump | undefined> {
  const client = await connected(directory);
  try {
    return (await client?.ask('dump')) as EmbeddedDump | undefined;
  } catch {
    return undefined;
  } finally {
    client?.end();
  }
}

/** Connections to that process, one at a time and none that nobody uses: it waits meanwhile. Undefined if none answers. */
export async function poolBeside(directory: string): Promise<pg.Pool | undefined> {
  const first = await connected(directory);
  if (first === undefined) return undefined;
  first.end();
  const Client = SocketClient as unknown as pg.PoolConfig['Client'];
  return new pg.Pool({ ...(Client && { Client }), host: directory, max: 1, maxUses: 1 });
}
