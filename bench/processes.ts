// What processes have used, from /proc: Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A clock tick is 10 ms. */
const TICKS_A_SECOND = 100;
const MB = 1_024;
const LOOK_MS = 50;
const IDLE_LOOKS = 10;

/** Seconds of processor time of a process so far: its threads, and children that have ended. 0: it has ended itself. */
export function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [11, 12, 13, 14].reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_A_SECOND;
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

const withChildren = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + withChildren(child), secondsOf(pid));

/** Starts to measure; what it returns says how many seconds of processor time each group of processes, their children included, has used since. */
export function measureProcessors<Name extends string>(
  groups: Readonly<Record<Name, readonly number[]>>,
): () => Record<Name, number> {
  const read = (): Record<string, number> =>
    Object.fromEntries(
      Object.entries<readonly number[]>(groups).map(([name, pids]) => [
        name,
        pids.reduce((sum, pid) => sum + withChildren(pid), 0),
      ]),
    );
  const before = read();
  return () =>
    Object.fromEntries(
      Object.entries(read()).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
    ) as Record<Name, number>;
}

/** Resolves once a process has had next to nothing to do for half a second; to the instant at which that began, by `performance.now()`. */
export async function untilIdle(pid: number): Promise<number> {
  let since = performance.now();
  let used = secondsOf(pid);
  for (let looks = 0; looks < IDLE_LOOKS; looks++) {
    await sleep(LOOK_MS);
    const now = secondsOf(pid);
    if (now - used > LOOK_MS / 4 / 1_000) {
      looks = -1;
      since = performance.now();
    }
    used = now;
  }
  return since;
}

function memory(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / MB;
}

/** Peak of a process's resident memory so far, in MB. */
export const peakMemory = (pid: number): number => memory(pid, 'VmHWM');

/** A process's resident memory in MB. */
export const residentMemory = (pid: number): number => memory(pid, 'VmRSS');

/** File descriptors that a process has open. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
