import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { LIMITS_WITH_PRELOAD, limitsWith } from '../../../test/support/preload.ts';

it('the committed preload answers for the limit of open files, and passes every other on with its answer', () => {
  const preload = fileURLToPath(new URL('../runtime/nofile.so', import.meta.url));
  expect(limitsWith(preload)).toEqual(LIMITS_WITH_PRELOAD);
  expect(limitsWith('')).not.toEqual(LIMITS_WITH_PRELOAD);
});
