import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { signDelegation } from '@payouts/client';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { registrationOf } from '../scene.ts';
import { METRICS_TOKEN, type Service } from '../service.ts';
import { sign } from '../signer.ts';
import { type Answer, ask, connectFrom } from '../wire.ts';

/** What a flood is of. A review found that each of them kept others out. */
export const FLOODS = ['sockets', 'uploads', 'resets', 'signed reads', 'own proofs', 'streams'] as const;
export type Flood = (typeof FLOODS)[number];

/** Figures of a flood; milliseconds. */
export type Flooded = {
  readonly flood: Flood;
  readonly health: readonly number[];
  /** The same without the time for which the service stood in line for a processor: that is the machine's. */
  readonly own: readonly number[];
  /** Of honest requests, how many were answered as they should, and how many tries more that took, by kind. */
  readonly honest: Readonly<Record<Honest, { readonly answered: number; readonly of: number; readonly again: number }>>;
  /** Connections that the flood opened meanwhile, and milliseconds of processor that the service's thread took for everything. */
  readonly opened: number;
  readonly processor: number;
  /** Requests that were answered 500 meanwhile: no client asks for that again. */
  readonly failures: number;
};
type Honest = 'health' | 'reads' | 'signed reads' | 'registrations' | 'streams';

/** Milliseconds in which health is answered, whatever others do. */
const HEALTH_WITHIN_MS = 2_000;
const HONEST = '127.3.0.1';
const SESSION_SECONDS = 600;
const EVERY_MS = 200;
/** Registrations of a client that are fewer than the limit. */
const REGISTERS_EVERY_MS = 1_500;
/** Milliseconds that a client waits for an answer to one try. */
const TRY_MS = 60_000;
/** Milliseconds after which an honest client gives up: of the service's own, because a machine that others use has whole minutes without a processor. */
const GIVEN_UP_AFTER_MS = 15_000;
/** Milliseconds after which a client asks again that was told that something is gone. */
const AGAIN_MS = 1_000;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function failuresOf({ urls }: Service): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const { body } = await ask(urls[0], { from: HONEST, path: '/api/metrics', headers });
  const lines = body.split('\n').filter((line) => /^service_api_requests_total\{.*status="500"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Milliseconds for which a process's main thread had a processor, and was ready and had none, since it began: Linux's schedstat. */
function scheduled(pid: number | undefined): { readonly ran: number; readonly waited: number } {
  if (pid === undefined) return { ran: 0, waited: 0 };
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
}

/** How many connections a flood has opened. */
async function openedBy(flooder: ChildProcess): Promise<number> {
  const answer = once(flooder, 'message');
  flooder.send('how many');
  return Number((await answer)[0]);
}

/** Asks for a stream of events: 200 if it begins. */
function streams(url: string): Promise<Tried> {
  const began = performance.now();
  const socket = connectFrom(url, HONEST);
  return new Promise((resolve) => {
    const answer = (status: number) => resolve({ status, ms: performance.now() - began });
    socket.setTimeout(TRY_MS, () => socket.destroy());
    socket.once('data', (data) => {
      answer(Number(String(data).slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
      socket.destroy();
    });
    socket.once('close', () => answer(0));
    socket.write(`GET /api/events HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
  });
}

type Tried = Pick<Answer, 'status' | 'ms'>;

/**
 * Asks again, as an honest client does, while a try gets no answer in time or hears that something is gone. The last answer, and how
 * often it asked again.
 */
async function patiently({ pid }: Service, send: () => Promise<Tried>): Promise<Tried & { readonly again: number }> {
  const began = performance.now();
  const { waited } = scheduled(pid);
  for (let again = 0; ; again += 1) {
    const answer = await send();
    const own = performance.now() - began - (scheduled(pid).waited - waited);
    const isInTime = answer.ms < TRY_MS && answer.status !== 503;
    if (isInTime || own > GIVEN_UP_AFTER_MS) return { ...answer, again };
    await pause(AGAIN_MS);
  }
}

/** Asks as honest clients do, every so many milliseconds, for so long; the answers. */
async function honestly<T>(forMs: number, everyMs: number, send: () => Promise<T>): Promise<T[]> {
  const until = performance.now() + forMs;
  const answers: Promise<T>[] = [];
  while (performance.now() < until) {
    answers.push(send());
    await pause(everyMs);
  }
  return Promise.all(answers);
}

/** A session of the recipient who was paid, for a process that has no wallet. */
async function sessionOf({ recipient, urls: [url] }: Service): Promise<Readonly<Record<string, string>>> {
  const key = randomBytes(32);
  const { address: session } = await createKeyPairSignerFromPrivateKeyBytes(key);
  const expires = Math.floor(Date.now() / 1_000) + SESSION_SECONDS;
  const { origin } = new URL(url);
  const delegation = { origin, wallet: recipient.address, session, encryption: null, expires };
  return { FLOOD_SESSION: key.toString('hex'), FLOOD_DELEGATION: await signDelegation(recipient, delegation) };
}

/** Floods a service's first process for so many milliseconds, while honest clients at another address ask it. */
export async function flooded(service: Service, flood: Flood, forMs: number): Promise<Flooded> {
  const [url] = service.urls;
  const { employer, rival = employer, long } = service;
  const flooder = fork(here('./flooder.ts'), [flood, url, long.schedule], {
    env: { ...process.env, ...(await sessionOf(service)) },
  });
  await once(flooder, 'message');
  const before = await failuresOf(service);
  const openedBefore = await openedBy(flooder);
  const { ran } = scheduled(service.pid);
  const get = (at: string, path: string, headers = {}): Promise<Answer> =>
    ask(at, { from: HONEST, path, headers, withinMs: TRY_MS });
  const list = `/api/schedules/${rival.schedule}/recipients`;
  const body = registrationOf(rival);
  const registration = {
    method: 'POST',
    path: '/api/schedules',
    headers: { 'content-type': 'application/json' },
    body,
  };
  const health: number[] = [];
  const own: number[] = [];
  const askHealth = async () => {
    const { waited } = scheduled(service.pid);
    const answer = await get(url, '/api/health');
    health.push(answer.ms);
    own.push(Math.max(0, answer.ms - (scheduled(service.pid).waited - waited)));
    return answer;
  };
  const readSigned = async () => get(url, list, await sign({ signer: rival.signer, url: `${url}${list}` }));
  const sendings: Readonly<Record<Honest, readonly [everyMs: number, send: () => Promise<Tried>]>> = {
    health: [EVERY_MS, askHealth],
    reads: [EVERY_MS, () => get(url, `/api/schedules/${employer.schedule}`)],
    'signed reads': [EVERY_MS, readSigned],
    registrations: [REGISTERS_EVERY_MS, () => ask(url, { from: HONEST, withinMs: TRY_MS, ...registration })],
    streams: [REGISTERS_EVERY_MS, () => streams(url)],
  };
  const honest = await Promise.all(
    Object.entries(sendings).map(async ([what, [everyMs, send]]) => {
      const answers = await honestly(forMs, everyMs, () => patiently(service, send));
      const answered = answers.filter(({ status }) => status === 200).length;
      const again = answers.reduce((sum, answer) => sum + answer.again, 0);
      return [what, { answered, of: answers.length, again }] as const;
    }),
  );
  const processor = scheduled(service.pid).ran - ran;
  const opened = (await openedBy(flooder)) - openedBefore;
  flooder.disconnect();
  await once(flooder, 'exit');
  return {
    flood,
    health,
    own,
    honest: Object.fromEntries(honest) as Flooded['honest'],
    opened,
    processor,
    failures: (await failuresOf(service)) - before,
  };
}

/** What is wrong with a flood's figures; nothing: it kept nobody out. */
export function keptOut({ own, honest, failures }: Flooded): string[] {
  const slowest = Math.max(...own);
  return [
    ...(slowest >= HEALTH_WITHIN_MS ? [`health took ${slowest.toFixed(0)} ms`] : []),
    ...Object.entries(honest).flatMap(([what, { answered, of }]) =>
      answered < of ? [`${of - answered} of ${of} honest ${what} were not answered`] : [],
    ),
    ...(failures > 0 ? [`${failures} requests failed inside`] : []),
  ];
}
