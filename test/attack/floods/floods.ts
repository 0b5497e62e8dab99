import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { registrationOf } from '../scene.ts';
import { METRICS_TOKEN, type Service } from '../service.ts';
import { sign } from '../signer.ts';
import { type Answer, ask, connectFrom } from '../wire.ts';

/** What a flood is of. A review found that each of them kept others out. */
export const FLOODS = ['sockets', 'uploads', 'resets', 'signed reads', 'streams'] as const;
export type Flood = (typeof FLOODS)[number];

/** Figures of a flood; milliseconds. */
export type Flooded = {
  readonly flood: Flood;
  readonly health: readonly number[];
  /** The same without the time for which the service stood in line for a processor: that is the machine's. */
  readonly own: readonly number[];
  /** Of honest requests, how many were answered as they should, by kind. */
  readonly honest: Readonly<Record<Honest, { readonly answered: number; readonly of: number }>>;
  /** Requests that were answered 500 and more meanwhile. */
  readonly failures: number;
};
type Honest = 'health' | 'reads' | 'signed reads' | 'registrations' | 'streams';

/** Milliseconds in which health is answered, whatever others do. */
const HEALTH_WITHIN_MS = 2_000;
const HONEST = '127.3.0.1';
const EVERY_MS = 200;
/** Registrations of a client that are fewer than the limit. */
const REGISTERS_EVERY_MS = 1_500;
/** Milliseconds after which an honest client gives up: long, because a machine that others use has whole seconds without a processor. */
const GIVEN_UP_AFTER_MS = 60_000;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function failuresOf({ urls }: Service): Promise<number> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const { body } = await ask(urls[0], { from: HONEST, path: '/api/metrics', headers });
  const lines = body.split('\n').filter((line) => /^service_api_requests_total\{.*status="5/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Milliseconds for which a process's main thread was ready and had no processor, since it began: Linux's schedstat. */
function waited(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Whether a stream of events begins. */
function streams(url: string): Promise<boolean> {
  const socket = connectFrom(url, HONEST);
  return new Promise((resolve) => {
    socket.setTimeout(GIVEN_UP_AFTER_MS, () => socket.destroy());
    socket.once('data', (data) => {
      resolve(String(data).startsWith('HTTP/1.1 200'));
      socket.destroy();
    });
    socket.once('close', () => resolve(false));
    socket.write(`GET /api/events HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
  });
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

/** Floods a service's first process for so many milliseconds, while honest clients at another address ask it. */
export async function flooded(service: Service, flood: Flood, forMs: number): Promise<Flooded> {
  const [url] = service.urls;
  const { employer, rival = employer, long } = service;
  const flooder = fork(here('./flooder.ts'), [flood, url, long.schedule]);
  await once(flooder, 'message');
  const before = await failuresOf(service);
  const get = (at: string, path: string, headers = {}): Promise<Answer> =>
    ask(at, { from: HONEST, path, headers, withinMs: GIVEN_UP_AFTER_MS });
  const list = `/api/schedules/${rival.schedule}/recipients`;
  const body = registrationOf(rival);
  const registration = {
    method: 'POST',
    path: '/api/schedules',
    headers: { 'content-type': 'application/json' },
    body,
  };
  const health = async () => {
    const before = waited(service.pid);
    const answer = await get(url, '/api/health');
    return { ...answer, own: Math.max(0, answer.ms - (waited(service.pid) - before)) };
  };
  const [healths, reads, signed, registrations, begun] = await Promise.all([
    honestly(forMs, EVERY_MS, health),
    honestly(forMs, EVERY_MS, () => get(url, `/api/schedules/${employer.schedule}`)),
    honestly(forMs, EVERY_MS, async () => get(url, list, await sign({ signer: rival.signer, url: `${url}${list}` }))),
    honestly(forMs, REGISTERS_EVERY_MS, () => ask(url, { from: HONEST, withinMs: GIVEN_UP_AFTER_MS, ...registration })),
    honestly(forMs, REGISTERS_EVERY_MS, () => streams(url)),
  ]);
  flooder.disconnect();
  await once(flooder, 'exit');
  const of = (answers: readonly Answer[]) => ({
    answered: answers.filter(({ status }) => status === 200).length,
    of: answers.length,
  });
  return {
    flood,
    health: healths.map(({ ms }) => ms),
    own: healths.map(({ own }) => own),
    honest: {
      health: of(healths),
      reads: of(reads),
      'signed reads': of(signed),
      registrations: of(registrations),
      streams: { answered: begun.filter(Boolean).length, of: begun.length },
    },
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
