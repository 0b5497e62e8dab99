import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMITS_WITH_PRELOAD, limitsWith } from '@payouts/testing/preload';
import { expect, it, onTestFinished } from 'vitest';

it("the localnet's preload for the limit of open files, built again from its source, does what the committed one does", () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const built = join(folder, 'nofile.so');
  const script = fileURLToPath(new URL('../../packages/localnet/runtime/build-nofile.sh', import.meta.url));
  execFileSync(script, [built], { stdio: 'pipe' });
  expect(limitsWith(built)).toEqual(LIMITS_WITH_PRELOAD);
});
