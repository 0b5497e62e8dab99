import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const make = () => mkdtempSync(join(tmpdir(), 'coordinator-test-'));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = make();
  onTestFinished(() => remove(folder));
  return folder;
}

/** A folder for all tests of a file; made in `beforeAll`, it goes away after the last test. */
const shared: string[] = [];
afterAll(() => {
  for (const folder of shared) remove(folder);
});
export function sharedFolder(): string {
  const folder = make();
  shared.push(folder);
  return folder;
}
