import { spawnSync } from 'node:child_process';

// A shell sets limits by the calls that are looked at. Raised beyond the hard limit, an ordinary one is refused, also to root.
const SCRIPT = `
  before=$(ulimit -Hn)
  ulimit -Hn 2000000000 && echo 'open files: done' || echo 'open files: refused'
  [ "$(ulimit -Hn)" = "$before" ] && echo 'open files: as before'
  ulimit -c 10 && [ "$(ulimit -Hc)" = 10 ] && echo 'another: set'
  ulimit -Sc 20 2>/dev/null || echo "another: refused"
`;

/** What a program that runs with this preload is answered when it sets its limits. */
export function limitsWith(preload: string): string[] {
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', SCRIPT], { encoding: 'utf8', env: { LD_PRELOAD: preload } });
  return (stdout + stderr).trim().split('\n');
}

/** With a preload for the limit of open files: that alone is answered without being done. */
export const LIMITS_WITH_PRELOAD = [
  'open files: done',
  'open files: as before',
  'another: set',
  'another: refused',
] as const;
