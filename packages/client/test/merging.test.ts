import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** A call is answered in the moment in which another one waits for company: then nothing else keeps the process alive. */
const PROGRAM = `
import { Merging, systemTime } from '@payouts/client';
const merging = new Merging({
  most: 10,
  time: systemTime,
  ask: (keys) => keys.includes('first') ? new Promise((resolve) => setTimeout(resolve, 1, keys)) : Promise.resolve(keys),
  pick: (answer, places) => places.map((place) => answer[place]),
});
const first = merging.call(['first']);
await new Promise((resolve) => setImmediate(resolve));
const second = merging.call(['second']);
await first;
console.log(await second);
`;

it('a process does not end while a call waits for others to be made with it', async () => {
  const words = ['--input-type=module', '-e', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: import.meta.dirname });
  expect(stdout).toContain('second');
});
