import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMetrics } from '../runner/metrics.ts';
import { secondsOf } from '../runner/processes.ts';

/** What one registration cost, seen from outside. */
export type Measured = {
  readonly milliseconds: number;
  /** What the service's process computed meanwhile, all its threads. */
  readonly computedMs: number;
  readonly longestBlockMs: number;
};

/** The longest time that the service's event loop did not turn since this was last asked, in milliseconds. */
async function longestBlock(url: string): Promise<number> {
  return (await readMetrics(url))('service_nodejs_eventloop_lag_max_seconds') * 1_000;
}

/** Sends a body that stands ready; milliseconds from the first byte sent to the last received. Throws if it is not created. */
function post(url: string, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(`${url}/api/schedules`, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 201) resolve(performance.now() - begun);
        else reject(new Error(`The registration was answered ${response.statusCode}.`));
      });
    });
    sent.once('error', reject).end(body);
  });
}

/** Registers over HTTP at the service of process `pid`. */
export async function registerMeasured(url: string, pid: number, body: Buffer): Promise<Measured> {
  await longestBlock(url);
  const before = computedMs(pid);
  const milliseconds = await post(url, body);
  const after = computedMs(pid);
  return { milliseconds, computedMs: after - before, longestBlockMs: await longestBlock(url) };
}

const computedMs = (pid: number): number => secondsOf(pid) * 1_000;

/** Waits until a process has hardly anything to do: what follows a registration is over then. */
export async function untilIdle(pid: number): Promise<void> {
  for (;;) {
    const before = computedMs(pid);
    await sleep(500);
    if (computedMs(pid) - before < 100) return;
  }
}
