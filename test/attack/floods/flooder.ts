// Floods a service until it is ended: node … flooder.ts KIND URL SCHEDULE. Started by floods.ts, so that what measures has a processor's turn.
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyPairSignerFromPrivateKeyBytes, generateKeyPairSigner } from '@solana/kit';
import { type Signing, sign } from '../signer.ts';
import { ask, connectFrom } from '../wire.ts';

const ATTACKER = '127.2.0.1';
/** Connections that a flood of them opens, and begins anew when they are ended. */
const SOCKETS = 6_000;
const UPLOADS = 400;
const STREAMS = 400;
const RESETS_AT_ONCE = 64;
const READERS = 32;

const [kind = '', url = '', schedule = ''] = process.argv.slice(2);
const { host } = new URL(url);

/** Connections that were not tried yet: the flood has begun when all were. */
let untried = 0;
const tried = (): void => {
  untried -= 1;
  if (untried === 0) process.send?.('begun');
};

/** Keeps so many connections open for ever, and opens those that end anew. */
async function keep(count: number, open: () => Socket): Promise<void> {
  untried = count;
  await Promise.all(
    Array.from({ length: count }, async () => {
      for (let isFirst = true; ; isFirst = false) {
        const socket = open();
        if (isFirst) await Promise.race([connected(socket), closed(socket)]).then(tried);
        await closed(socket);
        // What is refused at once is tried again a little later: a single machine has not endless connections.
        await pause(100);
      }
    }),
  );
}

const closed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.resume();
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

const connected = (socket: Socket) => new Promise<void>((resolve) => socket.once('connect', () => resolve()));
/** Connections that this has opened. */
let opened = 0;
function connection(): Socket {
  opened += 1;
  return connectFrom(url, ATTACKER);
}

/** A registration that comes a byte a second. */
function upload(): Socket {
  const socket = connection();
  const head = `POST /api/schedules HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`;
  socket.write(head);
  const drip = setInterval(() => socket.writable && socket.write(' '), 1_000);
  socket.once('close', () => clearInterval(drip));
  return socket;
}

/** A connection that resets in the middle of its requests. */
async function reset(): Promise<void> {
  const asked = `GET /api/schedules/x HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(3);
  for (;;) {
    const socket = connection();
    socket.write(asked, () => socket.resetAndDestroy());
    await closed(socket);
  }
}

/** Reads of a path that are signed, from ever new addresses. */
async function readSigned(place: number, path: string, by: Pick<Signing, 'signer' | 'delegation'>): Promise<void> {
  for (let sent = 0; ; sent += 1) {
    const client = place + READERS * Math.floor(sent / 1_000);
    const from = `127.2.${1 + (client >> 8)}.${client & 255}`;
    opened += 1;
    await ask(url, { from, path, headers: await sign({ ...by, url: `${url}${path}` }) });
  }
}

/** By somebody about whom a long list has to be asked. */
const readByStranger = async (place: number): Promise<void> =>
  readSigned(place, `/api/schedules/${schedule}/recipients/me`, { signer: await generateKeyPairSigner() });

/** By a recipient who was paid, with a session that they have signed: for each a leaf is looked up and proven. */
async function readProofs(place: number): Promise<void> {
  const { FLOOD_SESSION = '', FLOOD_DELEGATION: delegation = '' } = process.env;
  const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(FLOOD_SESSION, 'hex'));
  await readSigned(place, '/api/recipients/me/proofs', { signer, delegation });
}

function stream(): Socket {
  const socket = connection();
  socket.write(`GET /api/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return socket;
}

/** So many of something one after the other, for ever. */
const all = (count: number, each: (place: number) => Promise<void>) =>
  Promise.all(Array.from({ length: count }, (_, place) => each(place)));

const FLOODS: Readonly<Record<string, () => Promise<unknown>>> = {
  sockets: () => keep(SOCKETS, connection),
  uploads: () => keep(UPLOADS, upload),
  streams: () => keep(STREAMS, stream),
  resets: () => all(RESETS_AT_ONCE, reset),
  'signed reads': () => all(READERS, readByStranger),
  'own proofs': () => all(READERS, readProofs),
};

// Whoever asks is told how many.
process.on('message', () => process.send?.(opened));
process.once('disconnect', () => process.exit(0));
if (['resets', 'signed reads', 'own proofs'].includes(kind)) process.send?.('begun');
await FLOODS[kind]?.();
