import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Seconds of processor time of a process so far, all its threads; 0 for one that has ended. Linux only, in steps of 10 ms. */
function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Its own, and that of its children that have ended.
    return [11, 12, 13, 14].reduce((sum, place) => sum + Number(fields[place]), 0) / 100;
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

function readGroups(groups: Groups): Record<string, number> {
  const sum = (pids: readonly number[]): number =>
    pids.reduce((total, pid) => total + secondsOf(pid) + sum(childrenOf(pid)), 0);
  return Object.fromEntries(Object.entries(groups).map(([name, pids]) => [name, sum(pids)]));
}

/** Starts to measure; what it returns says how many seconds of processor time each group has used since. */
export function measureProcessors(groups: Groups): () => Record<string, number> {
  const before = readGroups(groups);
  return () => {
    const after = readGroups(groups);
    return Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));
  };
}

/** Peak of a process's resident memory so far, in MB. */
export function peakMemory(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}
