import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

// Linux only, whose clock ticks are 10 ms.
const TICKS_A_SECOND = 100;

/** Seconds of processor time of a process so far, all its threads and its children that have ended; 0 for one that has ended. */
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
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
}

/** Processes by a name for each group; those of a group count with their children. */
export type Groups = Readonly<Record<string, readonly number[]>>;

/** Seconds of processor time by group, and how many cores everything on this machine has kept busy. */
export type Used = { readonly groups: Readonly<Record<string, number>>; readonly machineCores: number };

function readGroups(groups: Groups): Record<string, number> {
  const sum = (pids: readonly number[]): number =>
    pids.reduce((total, pid) => total + secondsOf(pid) + sum(childrenOf(pid)), 0);
  return Object.fromEntries(Object.entries(groups).map(([name, pids]) => [name, sum(pids)]));
}

/** Seconds in which a core was not idle, over all cores. */
function readMachine(): number {
  const [, user, nice, system, , , irq, softirq, steal] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
    .split(/\s+/)
    .map(Number);
  return (
    [user, nice, system, irq, softirq, steal].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) / TICKS_A_SECOND
  );
}

/** Starts to measure; what it returns says how much processor time has been used since. */
export function measureProcessors(groups: Groups): () => Used {
  const [before, machineBefore, begun] = [readGroups(groups), readMachine(), performance.now()];
  return () => {
    const after = readGroups(groups);
    const used = Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)] as const);
    const elapsed = (performance.now() - begun) / 1_000;
    return { groups: Object.fromEntries(used), machineCores: (readMachine() - machineBefore) / elapsed };
  };
}

function memory(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
}

/** Peak of a process's resident memory so far, in MB. */
export const peakMemory = (pid: number): number => Math.round(memory(pid, 'VmHWM'));

/** A process's resident memory in MB. */
export const residentMemory = (pid: number): number => memory(pid, 'VmRSS');

/** File descriptors that a process has open. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
