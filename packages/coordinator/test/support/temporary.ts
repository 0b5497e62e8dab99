import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const make = () => mkdtempSync(join(tmpdir(), 'coordinator-test-'));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = make();
  onTestFinished(() => remove(folder));
  return folder;
}

const shared: string[] = [];
process.once('exit', () => {
  for (const folder of shared) remove(folder);
});

/** A folder for all tests of a file, which goes away with the process that runs them. */
export function sharedFolder(): string {
  const folder = make();
  shared.push(folder);
  return folder;
}
