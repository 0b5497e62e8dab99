import { spawn } from 'node:child_process';

/**
 * Waits until its input closes, which happens when this process ends however it may, then ends the other one: by its own way, after two
 * seconds at once. A test may have stopped it and its children where they are.
 */
const SCRIPT = `
trap '' INT HUP
cat > /dev/null
kill -INT "$1" 2> /dev/null || exit 0
kill -CONT "$1" $(cat "/proc/$1/task/$1/children" 2> /dev/null) 2> /dev/null
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  kill -0 "$1" 2> /dev/null || exit 0
  sleep 0.1
done
kill -KILL "$1" 2> /dev/null
`;

/** Guards a process against outliving this one; returns what ends the guard. */
export function endWithThisProcess(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'payouts-watchdog', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return () => guard.kill('SIGKILL');
}
