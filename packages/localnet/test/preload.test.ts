import { fileURLToPath } from 'node:url';
import { LIMITS_WITH_PRELOAD, limitsWith } from '@payouts/testing/preload';
import { expect, it } from 'vitest';

it('the committed preload answers for the limit of open files, and passes every other on with its answer', () => {
  const preload = fileURLToPath(new URL('../runtime/nofile.so', import.meta.url));
  expect(limitsWith(preload)).toEqual(LIMITS_WITH_PRELOAD);
  expect(limitsWith('')).not.toEqual(LIMITS_WITH_PRELOAD);
});
