import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What one registration cost, seen from outside. */
export type Measured = {
  readonly milliseconds: number;
  /** What the service's process computed meanwhile, all its threads. */
  readonly computedMs: number;
  readonly longestBlockMs: number;
};

/** The longest time that the service's event loop did not turn since this was last asked, in milliseconds. */
async function longestBlock(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/api/metrics`)).text();
  const seconds = /^service_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1];
  return Number(seconds) * 1_000;
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

/** Peak of a process's resident memory in MB. */
export function peakMemory(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}

/** Milliseconds that a process has computed, in steps of ten. */
function computedMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Waits until a process has hardly anything to do: what follows a registration is over then. */
export async function untilIdle(pid: number): Promise<void> {
  for (;;) {
    const before = computedMs(pid);
    await sleep(500);
    if (computedMs(pid) - before < 100) return;
  }
}
